//! `text/tabwriter` and `text/template`.

mod tabwriter;
mod template;

pub(super) use tabwriter::TABWRITER;
pub(super) use template::TEMPLATE;
