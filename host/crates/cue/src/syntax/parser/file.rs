//! Files: leading attributes, the package clause, imports.

use std::collections::HashMap;

use pravo_diag::Diagnostic;

use super::super::ast::*;
use super::super::token::TokenKind as T;
use super::{Parsed, ParsedExpression, Parser};

/// Characters that no import path may have.
const ILLEGAL_IN_PATHS: &str = "!\"#$%&'()*,:;<=>?[\\]^{|}`\u{fffd}";

fn is_valid_import(path: &str) -> bool {
    let path = path.rsplit_once(':').map_or(path, |(path, _)| path);
    !path.is_empty() && !path.chars().any(|c| c.is_control() || c.is_whitespace() || ILLEGAL_IN_PATHS.contains(c))
}

fn is_definition(name: &str) -> bool {
    name.starts_with('#') || name.starts_with("_#")
}

fn fill(declarations: &mut [Declaration], mut comments: HashMap<u32, Vec<CommentGroup>>) {
    if comments.is_empty() {
        return;
    }
    let mut put = |slot: &mut Comments| {
        if let Some(groups) = slot.pending_number().and_then(|number| comments.remove(&number)) {
            slot.set(groups);
        }
    };
    for declaration in declarations {
        declaration.visit_comments(&mut put);
    }
}

impl Parser<'_> {
    pub(super) fn file(mut self) -> Parsed {
        let mut declarations = Vec::new();
        self.comments.open_list();
        while self.at(T::Attribute) {
            let attribute = self.attribute();
            if attribute.name() == "experiment" {
                self.enable(&attribute);
            }
            declarations.push(Declaration::Attribute(attribute));
            self.declaration_comma();
        }
        if self.at(T::Identifier) && self.token.text == "package" {
            declarations.push(self.package());
        }
        while self.at(T::Attribute) {
            declarations.push(Declaration::Attribute(self.attribute()));
            self.declaration_comma();
        }
        while self.at(T::Identifier) && self.token.text == "import" {
            declarations.push(self.import());
        }
        while !self.at(T::EndOfFile) {
            declarations.extend(self.declarations());
            if !self.at(T::EndOfFile) {
                // A closing brace too many.
                self.error_expected("a declaration or the end of the file");
                self.next();
                if self.at(T::Comma) {
                    self.next();
                }
            }
        }
        self.comments.flush_lead();
        self.comments.close_list();
        self.finish(declarations)
    }

    fn finish(mut self, mut declarations: Vec<Declaration>) -> Parsed {
        let diagnostics = self.diagnostics();
        let span = self.span(0, self.text.len() as u32);
        let (rest, comments) = std::mem::replace(&mut self.comments, super::CommentState::new()).finish();
        fill(&mut declarations, comments);
        let mut file = File { span, declarations, experiments: self.experiments, comments: Comments::default() };
        file.comments.set(rest);
        Parsed { file, diagnostics }
    }

    /// An expression with nothing behind it.
    pub(super) fn whole_expression(mut self) -> ParsedExpression {
        self.comments.open_list();
        let mut expression = self.right_side();
        if self.at(T::Comma) {
            self.next();
        }
        if !self.at(T::EndOfFile) {
            self.error_expected("the end of the expression");
        }
        self.comments.close_list();
        let diagnostics: Vec<Diagnostic> = self.diagnostics();
        let (_, mut comments) = std::mem::replace(&mut self.comments, super::CommentState::new()).finish();
        expression.visit_comments(&mut |slot: &mut Comments| {
            if let Some(groups) = slot.pending_number().and_then(|number| comments.remove(&number)) {
                slot.set(groups);
            }
        });
        ParsedExpression { expression, diagnostics }
    }

    fn enable(&mut self, attribute: &Attribute) {
        if let Err(error) = self.experiments.enable(attribute.body(), self.options.version) {
            let span = attribute.span;
            let help = "known are structcmp, explicitopen, aliasv2, try and shortcircuit";
            self.error_with_help(span.start, span.end, error.to_string(), help);
        }
    }

    fn package(&mut self) -> Declaration {
        self.comments.open();
        let (start, space) = (self.token.start, self.token.space);
        self.next();
        let name = self.identifier();
        if is_definition(&name.name) {
            let message = format!("invalid package name {}", name.name);
            self.error_with_help(name.span.start, name.span.end, message, "a package name is a plain identifier");
        }
        let span = self.span_from(start);
        self.expect_comma();
        let comments = self.comments.close_new();
        Declaration::Package(Box::new(Package { span, space, name, comments }))
    }

    fn import(&mut self) -> Declaration {
        self.comments.open();
        let (start, space) = (self.token.start, self.token.space);
        // The word `import` counts as a part of its own. No comment can follow it on its line.
        self.comments.open();
        self.next();
        self.comments.close_new();
        let mut specs = Vec::new();
        let (mut open, mut close) = (None, None);
        if self.at(T::LeftParenthesis) {
            open = Some(self.place());
            self.next();
            self.comments.open_list();
            while !self.at(T::RightParenthesis) && !self.at(T::EndOfFile) {
                let before = self.token.start;
                specs.push(self.import_spec());
                if self.token.start == before && !self.at(T::EndOfFile) {
                    self.next();
                }
            }
            self.comments.close_list();
            close = self.expect(T::RightParenthesis);
        } else {
            specs.push(self.import_spec());
        }
        let span = self.span_from(start);
        if open.is_some() {
            self.expect_comma();
        }
        let comments = self.comments.close_new();
        Declaration::Import(Box::new(Import { span, space, open, specs, close, comments }))
    }

    fn import_spec(&mut self) -> ImportSpec {
        self.comments.open();
        let start = self.token.start;
        let name = self.at(T::Identifier).then(|| self.declared_identifier());
        if let Some(name) = name.as_ref().filter(|name| is_definition(&name.name)) {
            self.error(name.span.start, name.span.end, "a package cannot be imported under the name of a definition");
        }
        let path = self.import_path();
        let span = self.span_from(start);
        self.expect_comma();
        let comments = self.comments.close_new();
        ImportSpec { span, name, path, comments }
    }

    fn import_path(&mut self) -> Literal {
        let span = self.span(self.token.start, self.token.end);
        let space = self.token.space;
        let text = self.token.text.clone().into_owned();
        let found = self.expect(T::String).is_some();
        let valid = super::super::literal::string(&text).is_ok_and(|value| match value {
            super::super::literal::Text::String(path) => is_valid_import(&path),
            super::super::literal::Text::Bytes(_) => false,
        });
        if found && !valid {
            self.error(span.start, span.end, format!("invalid import path {text}"));
        }
        let comments = self.comments.reserve();
        Literal { span, space, kind: LiteralKind::String, text: if found { text } else { "\"\"".to_owned() }, comments }
    }
}
