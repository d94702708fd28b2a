//! The tuples that the traits of the query language are implemented for.

/// Calls a macro once for each tuple of so many elements, as `A 0, B 1`: a type parameter and a place for each. A row
/// may have 12, all else 8; a set of one parameter differs from those of more, and is written out.
macro_rules! each_tuple {
    (1..=12, $implement:ident) => {
        each_tuple!(1..=8, $implement);
        $implement!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
        $implement!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
        $implement!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
        $implement!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
    };
    (1..=8, $implement:ident) => {
        $implement!(A 0);
        each_tuple!(2..=8, $implement);
    };
    (2..=8, $implement:ident) => {
        $implement!(A 0, B 1);
        $implement!(A 0, B 1, C 2);
        $implement!(A 0, B 1, C 2, D 3);
        $implement!(A 0, B 1, C 2, D 3, E 4);
        $implement!(A 0, B 1, C 2, D 3, E 4, F 5);
        $implement!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
        $implement!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
    };
}

pub(super) use each_tuple;
