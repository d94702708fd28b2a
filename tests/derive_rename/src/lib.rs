//! A package that knows vellum under another name only.
