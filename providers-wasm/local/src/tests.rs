use std::fs;

use pravo_sdk::testing::{Lab, with_root};
use pravo_sdk::{Path, PathStep, Value};

use crate::paths::{clean, parent};

fn object(attributes: &[(&str, &str)]) -> Value {
    Value::object(attributes.iter().map(|(name, text)| (*name, Value::from(*text))))
}

#[test]
fn a_file_is_made_read_and_removed() {
    let root = tempfile::tempdir().unwrap();
    with_root(root.path(), || {
        let lab = Lab::new(crate::provider()).unwrap();
        let made = lab.create("local_file", &object(&[("filename", "a/b.txt"), ("content", "x")])).unwrap();
        assert_eq!(made.attribute("id"), &"11f6ad8ec52a2984abaafd7c3b516503785c2072".into());
        assert_eq!(made.attribute("content_base64sha256"), &"LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE=".into());
        assert_eq!(fs::read(root.path().join("a/b.txt")).unwrap(), b"x");
        assert_eq!(lab.read("local_file", &made).unwrap(), made);

        fs::write(root.path().join("a/b.txt"), "y").unwrap();
        assert_eq!(lab.read("local_file", &made).unwrap(), Value::Null, "a file that others changed is forgotten");
        lab.delete("local_file", &made).unwrap();
        assert!(root.path().join("a").exists() && !root.path().join("a/b.txt").exists());
    });
}

#[test]
fn bad_bodies_are_refused_where_they_are_wrong() {
    let lab = Lab::new(crate::provider()).unwrap();
    for (attributes, expected) in [
        (&[("filename", "f")][..], "No attribute specified when one (and only one) of"),
        (&[("filename", "f"), ("content", ""), ("source", "x")], "2 attributes specified when one (and only one) of"),
        (&[("filename", "f"), ("content", ""), ("file_permission", "u=rw")], "must be expressed in octal numeric notation"),
        (&[("filename", "f"), ("content", ""), ("directory_permission", "7")], "string length should be 3 or 4 digits"),
    ] {
        let problems = lab.plan("local_file", &Value::Null, &object(attributes)).unwrap_err();
        assert!(problems.0[0].detail.contains(expected), "{problems:?}");
    }
}

#[test]
fn nothing_is_reached_without_a_grant() {
    let lab = Lab::new(crate::provider()).unwrap();
    let problems = lab.create("local_file", &object(&[("filename", "f"), ("content", "")])).unwrap_err();
    assert!(problems.0[0].detail.contains("permission denied"), "{problems:?}");
}

#[test]
fn a_data_source_shows_bytes_that_are_no_text() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("f"), b"a\xe2\x82b\xff").unwrap();
    with_root(root.path(), || {
        let lab = Lab::new(crate::provider()).unwrap();
        let read = lab.read_data("local_file", &object(&[("filename", "f")])).unwrap();
        assert_eq!(read.attribute("content"), &"a\u{fffd}\u{fffd}b\u{fffd}".into());
        assert_eq!(read.attribute("content_base64"), &"YeKCYv8=".into());
    });
}

#[test]
fn direxists_tells_directories() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("d")).unwrap();
    fs::write(root.path().join("f"), "").unwrap();
    with_root(root.path(), || {
        let lab = Lab::new(crate::provider()).unwrap();
        for (path, expected) in [("d", true), ("", true), ("no/../d", true), ("no", false)] {
            assert_eq!(lab.server.call_function("direxists", &[path.into()]).value, Some(Value::Bool(expected)), "{path}");
        }
        let refused = lab.server.call_function("direxists", &["f".into()]);
        assert_eq!(refused.diagnostics[0].path, Path(vec![PathStep::Index(0)]));
        assert!(refused.diagnostics[0].detail.contains("was found, but is not a directory"));
    });
}

#[test]
fn paths_are_cleaned_as_texts() {
    for (path, cleaned, above) in [
        ("f", "f", "."),
        ("a//b/./f", "a/b/f", "a/b"),
        ("a/../f", "f", "."),
        ("../f", "../f", ".."),
        ("/f", "/f", "/"),
        ("/../f", "/f", "/"),
        ("d/", "d", "d"),
        ("", ".", "."),
    ] {
        assert_eq!((clean(path).as_str(), parent(path).as_str()), (cleaned, above), "{path}");
    }
}
