//! What a provider author uses: traits, derive macros, export and a native test harness.
//!
//! One struct is schema, codec and documentation of a resource:
//!
//! ```
//! use pravo_sdk::{Attr, Context, Resource, Result};
//!
//! /// A greeting.
//! #[derive(Resource)]
//! #[pravo(name = "demo_greeting")]
//! pub struct Greeting {
//!     /// Who is greeted.
//!     #[pravo(required, replace)]
//!     name: String,
//!     /// How.
//!     #[pravo(optional, default = "Hello")]
//!     word: Attr<String>,
//!     /// What is said.
//!     #[pravo(computed)]
//!     text: Attr<String>,
//! }
//!
//! impl Resource for Greeting {
//!     type Configuration = ();
//!
//!     fn create(mut planned: Self, _: &Context<'_, ()>) -> Result<Self> {
//!         let word = planned.word.known().cloned().unwrap_or_default();
//!         planned.text = format!("{word}, {}!", planned.name).into();
//!         Ok(planned)
//!     }
//! }
//!
//! fn provider() -> pravo_sdk::Provider {
//!     pravo_sdk::Provider::new("0.1.0").resource::<Greeting>()
//! }
//! # use pravo_sdk::Value;
//! # let lab = pravo_sdk::testing::Lab::new(provider()).unwrap();
//! # let made = lab.create("demo_greeting", &Value::object([("name", "pravo".into())])).unwrap();
//! # assert_eq!(made.attribute("text"), &"Hello, pravo!".into());
//! ```
//!
//! and [`export_provider!`] makes a component of it. Field attributes: `required`, `optional`, `computed`, `sensitive`,
//! `write_only`, `identity`; `replace` (a change needs a replacement; `replace = FUNCTION` decides), `keep_prior` (an update
//! does not make it unknown), `default = VALUE`, `validate = CHECK` ([`validators`]), `deprecated = TEXT`.
//!
//! What several types have in common is a struct of its own, with `#[derive(Attributes)]`; `flatten` takes its attributes over
//! as if they stood there:
//!
//! ```
//! use pravo_sdk::{Attr, Attributes, Context, Resource, Result};
//!
//! /// Where something is.
//! #[derive(Attributes)]
//! pub struct Place {
//!     /// The country.
//!     #[pravo(required, replace)]
//!     country: String,
//!     /// The city.
//!     #[pravo(optional, default = "anywhere")]
//!     city: Attr<String>,
//! }
//!
//! /// A house.
//! #[derive(Resource)]
//! #[pravo(name = "demo_house")]
//! pub struct House {
//!     #[pravo(flatten)]
//!     place: Place,
//!     /// What it is known by.
//!     #[pravo(computed)]
//!     id: Attr<String>,
//! }
//!
//! impl Resource for House {
//!     type Configuration = ();
//!
//!     fn create(mut planned: Self, _: &Context<'_, ()>) -> Result<Self> {
//!         planned.id = planned.place.country.clone().into();
//!         Ok(planned)
//!     }
//! }
//! # use pravo_sdk::Value;
//! # let lab = pravo_sdk::testing::Lab::new(pravo_sdk::Provider::new("0.1.0").resource::<House>()).unwrap();
//! # let made = lab.create("demo_house", &Value::object([("country", "Ruritania".into())])).unwrap();
//! # assert_eq!(made, Value::object([("country", "Ruritania"), ("city", "anywhere"), ("id", "Ruritania")].map(|(name, text)| (name, text.into()))));
//! # assert!(lab.server.schema().resources["demo_house"].block.attributes["country"].required);
//! ```
//!
//! Kept true here: what crosses to the host is exactly what `wit/provider` says, and nothing in this crate panics on what the
//! host sends. Deliberately absent: input and output other than [`files`] and [`host`]; computed attributes within nested objects.

extern crate self as pravo_sdk;

pub mod attribute;
pub mod diagnostics;
pub mod files;
pub mod function;
#[cfg(target_arch = "wasm32")]
pub mod guest;
pub mod host;
pub mod object;
mod plan;
pub mod provider;
mod registered;
pub mod resource;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
pub mod validators;

pub use attribute::{Attr, AttributeValue, Mismatch};
pub use diagnostics::{Diagnostic, DiagnosticExt, Diagnostics, Result};
pub use function::{FunctionDefinition, FunctionError};
pub use object::{Change, Field, Object};
pub use pravo_model::{Number, Path, PathStep, Type, Value, codec, schema};
pub use pravo_sdk_macros::{Attributes, Configuration, DataSource, Ephemeral, Nested, Resource, function};
pub use provider::{Provider, Server};
pub use resource::{Context, DataSource, Ephemeral, Opened, Plan, Resource};
pub use validators::Problem;

#[doc(hidden)]
pub use pravo_sdk_macros::manifest;

/// Makes the crate a component: exports the world's functions and writes the custom section `pravo:manifest`.
///
/// ```ignore
/// pravo_sdk::export_provider! {
///     name: "example/demo",
///     version: "0.1.0",
///     needs: r#"{"random": true, "fs": [{"path": ".", "access": "write"}]}"#,
///     provider: provider,
/// }
/// ```
#[macro_export]
macro_rules! export_provider {
    (name: $name:literal, version: $version:literal, needs: $needs:literal, provider: $provider:ident $(,)?) => {
        $crate::manifest!($name, $version, $needs);

        #[cfg(target_arch = "wasm32")]
        #[allow(unsafe_code)]
        mod pravo_component {
            use ::std::rc::Rc;

            ::std::thread_local! {
                static SERVER: Rc<$crate::Server> = Rc::new(super::$provider().serve());
            }

            struct Source;

            impl $crate::guest::Source for Source {
                fn server() -> Rc<$crate::Server> {
                    SERVER.with(Rc::clone)
                }
            }

            type Component = $crate::guest::Component<Source>;
            $crate::guest::bindings::export_component!(Component with_types_in $crate::guest::bindings);
        }
    };
}
