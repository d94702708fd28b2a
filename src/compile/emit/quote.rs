//! Quoting: the only way in which a name or a text gets into SQL.

/// Appends a name as an identifier: in double quotes, a double quote doubled.
pub(crate) fn identifier(out: &mut String, name: &str) {
    quoted(out, name, '"');
}

/// Appends a text literal: in single quotes, a single quote doubled. SQLite ends its input at U+0000, so a text that
/// holds one is put together from its parts.
pub(crate) fn text(out: &mut String, text: &str) {
    if !text.contains('\0') {
        return quoted(out, text, '\'');
    }
    out.push('(');
    for (place, part) in text.split('\0').enumerate() {
        if place > 0 {
            out.push_str(" || char(0) || ");
        }
        quoted(out, part, '\'');
    }
    out.push(')');
}

fn quoted(out: &mut String, text: &str, quote: char) {
    out.push(quote);
    for c in text.chars() {
        if c == quote {
            out.push(quote);
        }
        out.push(c);
    }
    out.push(quote);
}

#[cfg(test)]
mod tests {
    fn printed(print: fn(&mut String, &str), text: &str) -> String {
        let mut out = String::new();
        print(&mut out, text);
        out
    }

    #[test]
    fn a_quote_cannot_end_what_it_stands_in() {
        assert_eq!(printed(super::identifier, r#"a"; drop table x; --"#), r#""a""; drop table x; --""#);
        assert_eq!(printed(super::text, "') or 1=1 --"), "''') or 1=1 --'");
    }

    #[test]
    fn a_text_with_nul_is_the_whole_text() -> rusqlite::Result<()> {
        let sql = format!("SELECT {}", printed(super::text, "a\0'b\0"));
        let conn = rusqlite::Connection::open_in_memory()?;
        assert_eq!(conn.query_row(&sql, [], |row| row.get::<_, String>(0))?, "a\0'b\0");
        Ok(())
    }
}
