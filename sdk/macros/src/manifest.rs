//! The custom section `pravo:manifest`: JSON that the host reads before it compiles a component.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Error, LitByteStr, LitStr, Token};

/// `"name", "version", "needs as JSON"`.
struct Manifest {
    name: LitStr,
    version: LitStr,
    needs: LitStr,
}

impl Parse for Manifest {
    fn parse(input: ParseStream<'_>) -> Result<Self, Error> {
        let name = input.parse()?;
        input.parse::<Token![,]>()?;
        let version = input.parse()?;
        input.parse::<Token![,]>()?;
        Ok(Self { name, version, needs: input.parse()? })
    }
}

pub fn expand(input: TokenStream) -> Result<TokenStream, Error> {
    let Manifest { name, version, needs } = syn::parse2(input)?;
    let text = format!("{{\"world\":\"0.1\",\"name\":{:?},\"version\":{:?},\"needs\":{}}}", name.value(), version.value(), needs.value().trim());
    let bytes = LitByteStr::new(text.as_bytes(), name.span());
    let length = text.len();
    Ok(quote! {
        #[cfg(target_arch = "wasm32")]
        #[allow(unsafe_code)]
        #[used]
        #[unsafe(link_section = "pravo:manifest")]
        static PRAVO_MANIFEST: [u8; #length] = *#bytes;
    })
}
