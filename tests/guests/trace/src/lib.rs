//! A provider for tests: it leaves a trace of what it does in a log file, and misbehaves on request.
//!
//! `trace_object` is a wide type with a life that can be followed; `trace_echo` gives back what it is given, so that a test can
//! have any value unknown in a plan. What no honest provider can do through the SDK, garbage in place of a value, is done by
//! exports of its own.

mod behavior;
mod echo;
#[cfg(target_arch = "wasm32")]
mod exports;
mod object;
mod settings;

/// The provider.
pub fn provider() -> pravo_sdk::Provider<settings::Log> {
    pravo_sdk::Provider::configured(env!("CARGO_PKG_VERSION"), settings::configure)
        .resource::<object::Traced>()
        .resource::<echo::Echo>()
        .data_source::<echo::Lines>()
        .ephemeral::<echo::Token>()
        .function(echo::shout::definition())
        .function(echo::sum::definition())
        .function(echo::fail::definition())
}

pravo_sdk::manifest!("test/trace", "0.1.0", r#"{"random": true, "clock": true, "fs": [{"path": ".", "access": "write"}]}"#);

#[cfg(test)]
mod tests {
    use pravo_sdk::testing::{Lab, with_root};
    use pravo_sdk::{Value, schema};

    fn object(attributes: &[(&str, Value)]) -> Value {
        Value::object(attributes.iter().cloned())
    }

    #[test]
    fn the_object_is_wide() {
        let server = crate::provider().serve();
        let schema: &schema::ResourceSchema = &server.schema().resources["trace_object"];
        assert_eq!(schema.block.attributes.len(), 60);
    }

    #[test]
    fn a_life_leaves_a_trace() {
        let root = tempfile::tempdir().unwrap();
        with_root(root.path(), || {
            let lab = Lab::configured(crate::provider(), &object(&[("log", "log".into())])).unwrap();
            let made = lab.create("trace_object", &object(&[("name", "a".into())])).unwrap();
            let changed = lab.apply("trace_object", &made, &object(&[("name", "b".into())])).unwrap();
            assert_eq!(changed.attribute("serial"), &Value::integer(2));
            let id = made.attribute("id").as_str().unwrap();
            assert!(lab.import("trace_object", id).is_ok());
            lab.delete("trace_object", &changed).unwrap();
            assert!(lab.import("trace_object", id).is_err());
            assert_eq!(std::fs::read_to_string(root.path().join("log")).unwrap(), format!("+ {id}\n~ {id}\n- {id}\n"));
        });
    }

    #[test]
    fn an_echo_is_unknown_until_it_is_made() {
        let lab = Lab::new(crate::provider()).unwrap();
        let config = object(&[("input_wo", "secret".into()), ("input_number", Value::integer(3))]);
        let planned = lab.plan("trace_echo", &Value::Null, &config).unwrap().planned;
        assert!(planned.attribute("output").is_unknown() && planned.attribute("input_wo").is_null());
        let made = lab.create("trace_echo", &config).unwrap();
        assert_eq!(made.attribute("output"), &"secret".into());
        assert_eq!(made.attribute("output_number"), &Value::integer(3));
        assert_eq!(made.attribute("input_wo"), &Value::Null);
    }

    #[test]
    fn a_partial_result_comes_with_its_error() {
        let lab = Lab::new(crate::provider()).unwrap();
        let problems = lab.create("trace_object", &object(&[("name", "a".into()), ("behavior", "error".into())])).unwrap_err();
        assert_eq!(problems.0[0].summary, "Failed on request");
    }
}
