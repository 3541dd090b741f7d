//! The CUE language: parser, formatter, evaluator, standard packages, modules and export.
pub mod syntax;
