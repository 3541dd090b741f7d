//! Macros of the provider SDK: one struct is schema, codec and documentation.
//!
//! The attributes are documented in `pravo-sdk`, where the macros are exported from.

mod function;
mod manifest;
mod object;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct a managed resource's attributes.
#[proc_macro_derive(Resource, attributes(pravo))]
pub fn resource(input: TokenStream) -> TokenStream {
    object(input, false)
}

/// Makes a struct a data source's attributes.
#[proc_macro_derive(DataSource, attributes(pravo))]
pub fn data_source(input: TokenStream) -> TokenStream {
    object(input, false)
}

/// Makes a struct an ephemeral's attributes.
#[proc_macro_derive(Ephemeral, attributes(pravo))]
pub fn ephemeral(input: TokenStream) -> TokenStream {
    object(input, false)
}

/// Makes a struct a provider's configuration.
#[proc_macro_derive(Configuration, attributes(pravo))]
pub fn configuration(input: TokenStream) -> TokenStream {
    object(input, false)
}

/// Makes a struct attributes that other structs take over with `#[pravo(flatten)]`.
#[proc_macro_derive(Attributes, attributes(pravo))]
pub fn attributes(input: TokenStream) -> TokenStream {
    object(input, false)
}

/// Makes a struct the attributes of an object within an attribute.
#[proc_macro_derive(Nested, attributes(pravo))]
pub fn nested(input: TokenStream) -> TokenStream {
    object(input, true)
}

fn object(input: TokenStream, nested: bool) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    object::derive(&input, nested).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a Rust function a provider's function: beside `fn name` there is a `name::definition()` to register.
#[proc_macro_attribute]
pub fn function(_: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as syn::ItemFn);
    function::expand(&item).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// The custom section of a component; part of `export_provider!`.
#[doc(hidden)]
#[proc_macro]
pub fn manifest(input: TokenStream) -> TokenStream {
    manifest::expand(input.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
