//! The derive macros: fields to a schema, a decoder and an encoder.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Error, Expr, ExprLit, Field, Fields, Lit, LitInt, LitStr, Meta};

pub fn derive(input: &DeriveInput, nested: bool) -> Result<TokenStream, Error> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(input, "only a struct can be an object of attributes"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(input, "the attributes are named fields"));
    };
    let name = &input.ident;
    let head = head(&input.attrs)?;
    let (type_name, version, bulk, deprecated) = (head.name, head.version, head.bulk, head.deprecated);
    let description = documentation(&input.attrs);
    let mut definitions = Vec::new();
    let (mut readers, mut writers) = (Vec::new(), Vec::new());
    let mut flattened = Vec::new();
    for field in &fields.named {
        let (ident, label, kind) = (&field.ident, label(field), &field.ty);
        if is_flattened(field)? {
            definitions.push(quote!(fields.extend(<#kind as ::pravo_sdk::Object>::fields());));
            readers.push(quote!(#ident: <#kind as ::pravo_sdk::Object>::from_value(value)?));
            flattened.push(quote!(::pravo_sdk::Object::to_value(&self.#ident)));
            continue;
        }
        let definition = definition(field)?;
        definitions.push(quote!(fields.push(#definition);));
        readers.push(quote!(#ident: ::pravo_sdk::object::take(value, #label)?));
        writers.push(quote!((#label, ::pravo_sdk::AttributeValue::to_value(&self.#ident))));
    }
    let nested = nested.then(|| {
        quote! {
            impl ::pravo_sdk::AttributeValue for #name {
                fn kind() -> ::pravo_sdk::schema::AttributeKind { ::pravo_sdk::object::nested_kind::<Self>() }
                fn from_value(value: &::pravo_sdk::Value) -> ::core::result::Result<Self, ::pravo_sdk::Mismatch> {
                    ::pravo_sdk::object::nested_from_value(value)
                }
                fn to_value(&self) -> ::pravo_sdk::Value { ::pravo_sdk::Object::to_value(self) }
            }
        }
    });
    Ok(quote! {
        impl ::pravo_sdk::Object for #name {
            const NAME: &'static str = #type_name;
            const VERSION: u64 = #version;
            const BULK: bool = #bulk;
            const DESCRIPTION: &'static str = #description;
            const DEPRECATED: ::core::option::Option<&'static str> = #deprecated;
            fn fields() -> ::std::vec::Vec<::pravo_sdk::Field> {
                let mut fields = ::std::vec::Vec::new();
                #(#definitions)*
                fields
            }
            fn from_value(value: &::pravo_sdk::Value) -> ::core::result::Result<Self, ::pravo_sdk::Mismatch> {
                ::core::result::Result::Ok(Self { #(#readers),* })
            }
            fn to_value(&self) -> ::pravo_sdk::Value {
                ::pravo_sdk::object::join(::std::vec![#(#writers),*], ::std::vec![#(#flattened),*])
            }
        }
        #nested
    })
}

struct Head {
    name: LitStr,
    version: LitInt,
    bulk: bool,
    deprecated: TokenStream,
}

fn head(attributes: &[Attribute]) -> Result<Head, Error> {
    let span = proc_macro2::Span::call_site();
    let mut head =
        Head { name: LitStr::new("", span), version: LitInt::new("0", span), bulk: false, deprecated: quote!(::core::option::Option::None) };
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("pravo")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("name") {
                head.name = meta.value()?.parse()?;
            } else if meta.path.is_ident("version") {
                head.version = meta.value()?.parse()?;
            } else if meta.path.is_ident("bulk") {
                head.bulk = true;
            } else if meta.path.is_ident("deprecated") {
                let text: LitStr = meta.value()?.parse()?;
                head.deprecated = quote!(::core::option::Option::Some(#text));
            } else {
                return Err(meta.error("a struct takes name, version, bulk and deprecated"));
            }
            Ok(())
        })?;
    }
    Ok(head)
}

/// Whether a field stands for the attributes of its struct.
fn is_flattened(field: &Field) -> Result<bool, Error> {
    let mut words = Vec::new();
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("pravo")) {
        attribute.parse_nested_meta(|meta| {
            words.push(meta.path.is_ident("flatten"));
            if meta.input.peek(syn::Token![=]) {
                meta.value()?.parse::<Expr>()?;
            }
            Ok(())
        })?;
    }
    if words.contains(&true) && words.len() > 1 {
        return Err(Error::new_spanned(field, "flatten stands alone: what it brings along is said in the struct that is flattened"));
    }
    Ok(words.contains(&true))
}

/// One `Field::new::<T>("name")` with what its attributes say.
fn definition(field: &Field) -> Result<TokenStream, Error> {
    let (label, kind, description) = (label(field), &field.ty, documentation(&field.attrs));
    let mut calls = Vec::new();
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("pravo")) {
        attribute.parse_nested_meta(|meta| {
            let word = meta.path.require_ident()?.to_string();
            let value = meta.input.peek(syn::Token![=]).then(|| meta.value()?.parse::<Expr>()).transpose()?;
            calls.push(match (word.as_str(), value) {
                ("required", None) => quote!(.required()),
                ("optional", None) => quote!(.optional()),
                ("computed", None) => quote!(.computed()),
                ("sensitive", None) => quote!(.sensitive()),
                ("write_only", None) => quote!(.write_only()),
                ("keep_prior", None) => quote!(.keep_prior()),
                ("identity", None) => quote!(.identity()),
                ("replace", None) => quote!(.replace()),
                ("replace", Some(decide)) => quote!(.replace_if(#decide)),
                ("default", Some(default)) => quote!(.default_value(&<#kind as ::core::convert::From<_>>::from(#default))),
                ("validate", Some(check)) => quote!(.validate::<#kind, _>(#check)),
                ("deprecated", Some(reason)) => quote!(.deprecated(#reason)),
                _ => {
                    return Err(meta.error(
                        "a field takes required, optional, computed, sensitive, write_only, keep_prior, identity, replace, \
                         replace = FUNCTION, default = VALUE, validate = CHECK and deprecated = TEXT, or flatten alone",
                    ));
                }
            });
            Ok(())
        })?;
    }
    Ok(quote!(::pravo_sdk::Field::new::<#kind>(#label).description(#description) #(#calls)*))
}

/// A field's name as attribute: without `r#`.
fn label(field: &Field) -> String {
    field.ident.as_ref().map(|ident| ident.to_string().trim_start_matches("r#").to_owned()).unwrap_or_default()
}

/// The documentation comment, its lines without the common space.
pub fn documentation(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                let text = text.value();
                Some(text.strip_prefix(' ').unwrap_or(&text).trim_end().to_owned())
            }
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}
