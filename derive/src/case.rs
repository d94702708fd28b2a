//! Serde's rename rules, and the default name of a collection.

use std::str::FromStr;

/// A rule of `#[serde(rename_all = "..")]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RenameRule {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

/// The rules as serde spells them.
const RULES: &[(&str, RenameRule)] = &[
    ("lowercase", RenameRule::Lower),
    ("UPPERCASE", RenameRule::Upper),
    ("PascalCase", RenameRule::Pascal),
    ("camelCase", RenameRule::Camel),
    ("snake_case", RenameRule::Snake),
    ("SCREAMING_SNAKE_CASE", RenameRule::ScreamingSnake),
    ("kebab-case", RenameRule::Kebab),
    ("SCREAMING-KEBAB-CASE", RenameRule::ScreamingKebab),
];

impl FromStr for RenameRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        RULES.iter().find(|(name, _)| *name == text).map(|(_, rule)| *rule).ok_or_else(|| {
            let names: Vec<_> = RULES.iter().map(|(name, _)| format!("`{name}`")).collect();
            format!("serde has no rename rule `{text}`; its rules are {}", names.join(", "))
        })
    }
}

impl RenameRule {
    /// Returns a field's stored name, as serde_derive computes it: the name is taken to be in snake_case.
    pub(crate) fn apply_to_field(self, field: &str) -> String {
        match self {
            Self::Lower | Self::Snake => field.to_owned(),
            Self::Upper | Self::ScreamingSnake => field.to_ascii_uppercase(),
            Self::Pascal => pascal(field),
            Self::Camel => uncapitalized(&pascal(field)),
            Self::Kebab => field.replace('_', "-"),
            Self::ScreamingKebab => field.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// Returns a variant's stored name, as serde_derive computes it: the name is taken to be in PascalCase, and each
    /// capital begins a word.
    pub(crate) fn apply_to_variant(self, variant: &str) -> String {
        match self {
            Self::Lower => variant.to_ascii_lowercase(),
            Self::Upper => variant.to_ascii_uppercase(),
            Self::Pascal => variant.to_owned(),
            Self::Camel => uncapitalized(variant),
            Self::Snake => capitals_apart(variant),
            Self::ScreamingSnake => capitals_apart(variant).to_ascii_uppercase(),
            Self::Kebab => capitals_apart(variant).replace('_', "-"),
            Self::ScreamingKebab => capitals_apart(variant).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn uncapitalized(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(chars).collect()
}

fn capitals_apart(variant: &str) -> String {
    let mut name = String::with_capacity(variant.len() + 4);
    for (at, c) in variant.char_indices() {
        if at > 0 && c.is_uppercase() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

fn pascal(field: &str) -> String {
    let mut name = String::with_capacity(field.len());
    let mut word_starts = true;
    for c in field.chars() {
        match c {
            '_' => word_starts = true,
            c if word_starts => {
                name.push(c.to_ascii_uppercase());
                word_starts = false;
            }
            c => name.push(c),
        }
    }
    name
}

/// Returns a type's name in snake_case. A run of capitals is one word: `HTTPServer` is `http_server`.
pub(crate) fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut before = '_';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let ends_capitals = before.is_uppercase() && chars.peek().is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && before != '_' && (!before.is_uppercase() || ends_capitals) {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
        before = c;
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    // The pairs of serde_derive's own test of `apply_to_field`.
    #[test]
    fn rules_give_fields_the_names_that_serde_gives() -> Result<(), String> {
        for (field, upper, pascal, camel, screaming, kebab, screaming_kebab) in [
            ("outcome", "OUTCOME", "Outcome", "outcome", "OUTCOME", "outcome", "OUTCOME"),
            ("very_tasty", "VERY_TASTY", "VeryTasty", "veryTasty", "VERY_TASTY", "very-tasty", "VERY-TASTY"),
            ("a", "A", "A", "a", "A", "a", "A"),
            ("z42", "Z42", "Z42", "z42", "Z42", "z42", "Z42"),
        ] {
            let apply = |rule: &str| rule.parse::<RenameRule>().map(|rule| rule.apply_to_field(field));
            assert_eq!(apply("lowercase")?, field);
            assert_eq!(apply("UPPERCASE")?, upper);
            assert_eq!(apply("PascalCase")?, pascal);
            assert_eq!(apply("camelCase")?, camel);
            assert_eq!(apply("snake_case")?, field);
            assert_eq!(apply("SCREAMING_SNAKE_CASE")?, screaming);
            assert_eq!(apply("kebab-case")?, kebab);
            assert_eq!(apply("SCREAMING-KEBAB-CASE")?, screaming_kebab);
        }
        Ok(())
    }

    // The pairs of serde_derive's own test of `apply_to_variant`.
    #[test]
    fn rules_give_variants_the_names_that_serde_gives() -> Result<(), String> {
        for (variant, lower, upper, camel, snake, screaming, kebab, screaming_kebab) in [
            ("Outcome", "outcome", "OUTCOME", "outcome", "outcome", "OUTCOME", "outcome", "OUTCOME"),
            (
                "VeryTasty",
                "verytasty",
                "VERYTASTY",
                "veryTasty",
                "very_tasty",
                "VERY_TASTY",
                "very-tasty",
                "VERY-TASTY",
            ),
            ("A", "a", "A", "a", "a", "A", "a", "A"),
            ("Z42", "z42", "Z42", "z42", "z42", "Z42", "z42", "Z42"),
        ] {
            let apply = |rule: &str| rule.parse::<RenameRule>().map(|rule| rule.apply_to_variant(variant));
            assert_eq!(apply("lowercase")?, lower);
            assert_eq!(apply("UPPERCASE")?, upper);
            assert_eq!(apply("PascalCase")?, variant);
            assert_eq!(apply("camelCase")?, camel);
            assert_eq!(apply("snake_case")?, snake);
            assert_eq!(apply("SCREAMING_SNAKE_CASE")?, screaming);
            assert_eq!(apply("kebab-case")?, kebab);
            assert_eq!(apply("SCREAMING-KEBAB-CASE")?, screaming_kebab);
        }
        Ok(())
    }

    #[test]
    fn an_unknown_rule_lists_the_known_ones() {
        let message = "Train-Case".parse::<RenameRule>().unwrap_err();
        assert!(message.contains("`Train-Case`") && message.contains("`kebab-case`"), "{message}");
    }

    #[test]
    fn snake_splits_words_and_keeps_runs_of_capitals() {
        for (name, expected) in [
            ("Event", "event"),
            ("UserAccount", "user_account"),
            ("HTTPServer", "http_server"),
            ("EventV2", "event_v2"),
            ("already_snake", "already_snake"),
            ("Odd_Name", "odd_name"),
            ("ID", "id"),
        ] {
            assert_eq!(snake(name), expected);
        }
    }
}
