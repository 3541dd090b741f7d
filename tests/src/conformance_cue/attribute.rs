//! The body of an `@test(…)`: a directive and its arguments.

/// An argument: `key=value` or a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Argument {
    /// The key; empty where there is none.
    pub key: String,
    /// The value as it is written.
    pub text: String,
}

impl Argument {
    /// The value without quotation marks.
    pub fn value(&self) -> String {
        pravo_cue::syntax::literal::plain_string(&self.text).unwrap_or_else(|| self.text.clone())
    }
}

/// A directive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directive {
    /// `eq`, `err`, `kind` and others.
    pub name: String,
    /// Whether the project's own evaluator does not do this yet, or does it and is held to be wrong, or whether another version of it is meant.
    pub todo: bool,
    /// The value of a directive that is written `name=value`.
    pub value: Option<String>,
    /// The other arguments.
    pub arguments: Vec<Argument>,
}

impl Directive {
    /// Reads the body of an attribute.
    pub fn parse(body: &str) -> Self {
        let mut arguments = split(body).into_iter().map(argument);
        let first = arguments.next().unwrap_or_default();
        let (head, value) = if first.key.is_empty() { (first.text, None) } else { (first.key.clone(), Some(first)) };
        let (name, version) = head.split_once(':').unwrap_or((&head, ""));
        let arguments: Vec<Argument> = arguments.collect();
        let incorrect = arguments.iter().any(|argument| argument.key.is_empty() && argument.text == "incorrect");
        Self { name: name.to_owned(), todo: !version.is_empty() || incorrect, value: value.map(|value| value.value()), arguments }
    }

    /// The first argument without a key.
    pub fn positional(&self) -> Option<&str> {
        self.arguments.iter().find(|argument| argument.key.is_empty()).map(|argument| argument.text.as_str())
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<String> {
        self.arguments.iter().find(|argument| argument.key == key).map(Argument::value)
    }

    /// Whether a flag is given.
    pub fn has(&self, flag: &str) -> bool {
        self.arguments.iter().any(|argument| argument.key.is_empty() && argument.text == flag)
    }
}

fn argument(text: &str) -> Argument {
    let text = text.trim();
    let name = text.len() - text.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '-')).len();
    match text.get(name..).and_then(|rest| rest.strip_prefix('=')) {
        Some(value) if name > 0 && !value.starts_with(['=', '~']) => {
            Argument { key: text.get(..name).unwrap_or("").to_owned(), text: value.trim().to_owned() }
        }
        _ => Argument { key: String::new(), text: text.to_owned() },
    }
}

/// Splits at commas that are not within brackets or strings.
pub fn split(body: &str) -> Vec<&str> {
    use pravo_cue::syntax::{lexer::Lexer, token::TokenKind as T};
    let mut lexer = Lexer::new(body);
    let mut depth = 0_i32;
    let mut start = 0;
    let mut out = Vec::new();
    loop {
        let token = lexer.token();
        match token.kind {
            T::LeftParenthesis | T::LeftBracket | T::LeftBrace => depth += 1,
            T::RightParenthesis | T::RightBracket | T::RightBrace => depth -= 1,
            T::Comma if depth == 0 && !token.is_line_break() => {
                out.push(body.get(start..token.start as usize).unwrap_or(""));
                start = token.end as usize;
            }
            T::EndOfFile => break,
            _ => {}
        }
    }
    let last = body.get(start..).unwrap_or("");
    if !last.trim().is_empty() || out.is_empty() {
        out.push(last);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read() {
        let directive = Directive::parse("err, code=eval|cycle, at=a.b, pos=[1:2, a.cue:3:4], contains=\"a, b\"");
        assert_eq!(directive.name, "err");
        assert_eq!(directive.get("code").as_deref(), Some("eval|cycle"));
        assert_eq!(directive.get("contains").as_deref(), Some("a, b"));
        assert_eq!(directive.get("pos").as_deref(), Some("[1:2, a.cue:3:4]"));
        let directive = Directive::parse("eq:todo, {a: 1, b: [1, 2]}");
        assert!(directive.todo);
        assert_eq!(directive.positional(), Some("{a: 1, b: [1, 2]}"));
        let directive = Directive::parse("kind=int|string");
        assert_eq!((directive.name.as_str(), directive.value.as_deref()), ("kind", Some("int|string")));
        assert_eq!(Directive::parse("closed").name, "closed");
    }
}
