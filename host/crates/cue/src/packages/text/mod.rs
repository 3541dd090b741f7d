//! `text/tabwriter` and `text/template`.

mod tabwriter;

pub(super) use tabwriter::TABWRITER;
