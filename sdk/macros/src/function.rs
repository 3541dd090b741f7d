//! `#[function]`: a Rust function as a provider's function.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, FnArg, ItemFn, Pat, ReturnType};

use crate::object::documentation;

pub fn expand(item: &ItemFn) -> Result<TokenStream, Error> {
    let (name, visibility) = (&item.sig.ident, &item.vis);
    let (label, description) = (name.to_string(), documentation(&item.attrs));
    let ReturnType::Type(_, output) = &item.sig.output else {
        return Err(Error::new_spanned(&item.sig, "a provider's function returns Result<T, FunctionError>"));
    };
    let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
    for (index, input) in item.sig.inputs.iter().enumerate() {
        let FnArg::Typed(input) = input else {
            return Err(Error::new_spanned(input, "a provider's function has no receiver"));
        };
        let Pat::Ident(ident) = &*input.pat else {
            return Err(Error::new_spanned(input, "a parameter is a name"));
        };
        let (parameter, kind) = (ident.ident.to_string(), &input.ty);
        parameters.push(quote!(::pravo_sdk::function::parameter::<#kind>(#parameter)));
        arguments.push(quote!(::pravo_sdk::function::argument::<#kind>(arguments, #index)?));
    }
    Ok(quote! {
        #item
        #[doc = concat!("The provider's function `", #label, "`.")]
        #visibility mod #name {
            #[allow(unused_imports)]
            use super::*;
            /// What a provider registers.
            pub fn definition() -> ::pravo_sdk::FunctionDefinition {
                ::pravo_sdk::function::define::<#output>(
                    #label,
                    #description,
                    ::std::vec![#(#parameters),*],
                    |arguments| ::pravo_sdk::function::answer(super::#name(#(#arguments),*)),
                )
            }
        }
    })
}
