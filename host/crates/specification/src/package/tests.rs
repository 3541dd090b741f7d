//! Packages of real schemas. The converter from Terraform's JSON stands here alone: nothing else of pravo reads that form.

use std::collections::BTreeMap;

use pravo_model::Type;
use pravo_model::schema::{Attribute, AttributeKind, Block, FunctionSchema, NestedBlock, Nesting, Parameter, ProviderSchema, ResourceSchema};
use serde_json::Value;

use super::*;

/// A schema from the output of `terraform providers schema -json`.
pub(crate) fn schema_from_json(text: &str, version: &str) -> ProviderSchema {
    let document: Value = serde_json::from_str(text).unwrap();
    let provider = document["provider_schemas"].as_object().unwrap().values().next().unwrap();
    let types = |key: &str| -> BTreeMap<String, ResourceSchema> { each(&provider[key], resource) };
    ProviderSchema {
        format: 1,
        version: version.to_owned(),
        provider: block(&provider["provider"]["block"]),
        resources: types("resource_schemas"),
        data_sources: types("data_source_schemas"),
        ephemerals: types("ephemeral_resource_schemas"),
        functions: each(&provider["functions"], function),
    }
}

fn each<N: Ord + for<'a> From<&'a str>, T>(value: &Value, convert: impl Fn(&Value) -> T) -> BTreeMap<N, T> {
    value.as_object().into_iter().flatten().map(|(name, value)| (N::from(name), convert(value))).collect()
}

fn resource(schema: &Value) -> ResourceSchema {
    ResourceSchema { version: schema["version"].as_u64().unwrap_or(0), block: block(&schema["block"]), ..Default::default() }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn deprecated(value: &Value) -> Option<String> {
    value["deprecated"].as_bool().filter(|deprecated| *deprecated).map(|_| "deprecated".to_owned())
}

fn nesting(value: &Value) -> Nesting {
    serde_json::from_value(value.clone()).unwrap()
}

fn block(value: &Value) -> Block {
    let nested = |value: &Value| NestedBlock {
        nesting: nesting(&value["nesting_mode"]),
        block: block(&value["block"]),
        min_items: value["min_items"].as_u64().unwrap_or(0),
        max_items: value["max_items"].as_u64().unwrap_or(0),
    };
    Block {
        attributes: each(&value["attributes"], attribute),
        blocks: each(&value["block_types"], nested),
        description: text(&value["description"]),
        deprecated: deprecated(value),
    }
}

fn attribute(value: &Value) -> Attribute {
    let flag = |name: &str| value[name].as_bool().unwrap_or(false);
    let kind = match value.get("nested_type") {
        Some(nested) => AttributeKind::Nested(nesting(&nested["nesting_mode"]), each(&nested["attributes"], attribute)),
        None => AttributeKind::Type(kind(&value["type"])),
    };
    Attribute {
        kind,
        required: flag("required"),
        optional: flag("optional"),
        computed: flag("computed"),
        sensitive: flag("sensitive"),
        write_only: flag("write_only"),
        description: text(&value["description"]),
        deprecated: deprecated(value),
    }
}

fn kind(value: &Value) -> Type {
    match (value.as_str(), value.as_array().map(Vec::as_slice)) {
        (Some("string"), _) => Type::String,
        (Some("number"), _) => Type::Number,
        (Some("bool"), _) => Type::Bool,
        (Some("dynamic"), _) => Type::Dynamic,
        (_, Some([name, element, ..])) => match name.as_str() {
            Some("list") => Type::List(Box::new(kind(element))),
            Some("set") => Type::Set(Box::new(kind(element))),
            Some("map") => Type::Map(Box::new(kind(element))),
            Some("tuple") => Type::Tuple(element.as_array().unwrap().iter().map(kind).collect()),
            Some("object") => Type::Object(each(element, kind)),
            name => panic!("{name:?}"),
        },
        other => panic!("{other:?}"),
    }
}

fn function(value: &Value) -> FunctionSchema {
    let parameter = |value: &Value| Parameter {
        name: text(&value["name"]),
        kind: kind(&value["type"]),
        allow_null: value["is_nullable"].as_bool().unwrap_or(false),
        description: text(&value["description"]),
    };
    FunctionSchema {
        parameters: value["parameters"].as_array().into_iter().flatten().map(parameter).collect(),
        result: kind(&value["return_type"]),
        description: text(&value["description"]),
    }
}

/// A part of the schema of `hashicorp/aws` 5.100.0 as Terraform writes it, without descriptions.
pub(crate) fn aws() -> ProviderSchema {
    schema_from_json(include_str!("fixtures/aws.schema.json"), "5.100.0")
}

/// The text is CUE, and its layout is stable.
fn parsed(text: &str) -> pravo_cue::syntax::ast::File {
    let mut sources = pravo_diag::SourceMap::new();
    let id = sources.add("package.cue", text);
    let parsed = pravo_cue::syntax::parse_file(&sources, id, &pravo_cue::syntax::Options::default());
    assert!(parsed.diagnostics.is_empty(), "{}", pravo_diag::render_all(&parsed.diagnostics, &sources, pravo_diag::Style::default()));
    parsed.file
}

#[test]
fn packages_of_pravo_parse() {
    for path in [SETTINGS, META, POLICY] {
        assert!(parsed(builtin(path).unwrap()).package().is_some_and(|package| path.ends_with(&package.name)));
    }
    assert_eq!(builtin("pravo.dev/other"), None);
}

#[test]
fn a_large_schema_gives_a_package_that_parses() {
    let (schema, path) = (aws(), "pravo.dev/providers/hashicorp/aws");
    let all = provider_package(path, &schema, &Selection::All);
    assert_eq!(parsed(&all).package().unwrap().name, "aws");
    for line in ["aws_instance: {", "aws_lb_listener: {", "aws_ami: {", "arn_parse: {", "ami: null | string", "authenticate_oidc?: null | [...{"] {
        assert!(all.contains(line), "{line}");
    }
    // Every attribute and block of every type is there, at any depth.
    let types = schema.resources.values().chain(schema.data_sources.values()).chain(schema.ephemerals.values());
    let expected: usize = types.map(|one| field_count(&one.block)).sum::<usize>() + field_count(&schema.provider);
    let written = all.lines().filter(|line| line.contains(": ") && !line.contains('$') && !line.trim_start().starts_with("//")).count();
    assert!(written >= expected, "{written} of {expected}");
    let one = provider_package(path, &schema, &Selection::Names(["aws_instance".to_owned()].into()));
    assert!(one.contains("aws_instance: {") && !one.contains("aws_lb_listener") && !one.contains("arn_parse"));
    assert!(parsed(&one).package().is_some() && one.len() < all.len());
}

fn field_count(block: &Block) -> usize {
    block.attributes.len() + block.blocks.values().map(|nested| 1 + field_count(&nested.block)).sum::<usize>()
}

#[test]
fn a_parameter_named_result_has_a_field_of_its_own() {
    let parameter = |name: &str| Parameter { name: name.to_owned(), kind: Type::String, allow_null: false, description: String::new() };
    let signature = FunctionSchema {
        parameters: vec![parameter("result"), parameter("result_"), parameter("x")],
        result: Type::Bool,
        description: String::new(),
    };
    let fields: Vec<String> = signature.parameters.iter().map(|one| argument_field(&signature, &one.name)).collect();
    assert_eq!(fields, ["result__", "result_", "x"]);
    let schema = ProviderSchema { format: 1, functions: [("f".to_owned(), signature)].into(), ..ProviderSchema::default() };
    let text = provider_package("pravo.dev/providers/a/b", &schema, &Selection::All);
    assert!(text.contains("\t\t\tresult__!: string\n\t\t\tresult_!: string\n\t\t\tx!: string\n\t\t\tresult: null | bool\n"), "{text}");
    parsed(&text);
}

#[test]
fn a_package_has_a_field_for_each_attribute() {
    let mut schema = crate::fixtures::cloud();
    let server = schema.resources.get_mut("cloud_server").unwrap();
    server.block.description = "A server.\n\nIt serves.".into();
    server.block.attributes.get_mut("any").unwrap().deprecated = Some("use \"tags\"".into());
    server.block.attributes.insert("string".into(), crate::fixtures::attribute("string bool ?").1);
    let text =
        provider_package("pravo.dev/providers/example/cloud", &schema, &Selection::Names(["cloud_server".to_owned(), "join".to_owned()].into()));
    let server: String = text
        .lines()
        .skip_while(|line| !line.contains("// A server"))
        .take_while(|line| !line.contains("#Data"))
        .map(|line| format!("{line}\n"))
        .collect();
    let expected = r#"		// A server.
		//
		// It serves.
		cloud_server: {
			@host(resource)
			any?: _ @deprecated("use \"tags\"")
			disks?: null | [...{
				device: null | string
				labels?: null | {[string]: null | string}
				size!: number
			}]
			id: null | string
			name!: string
			secret?: null | string
			"string"?: null | bool
			tags?: null | {[string]: null | string}
			zones?: null | [...null | string]
			rule?: null | [...{
				comment?: null | string
				port!: number
			}]
			$depends_on?: [...] @reference()
			$from?: string
			$import?: string
			$lifecycle?: #Lifecycle
		}
	}
	// The data sources.
"#;
    assert_eq!(server, expected);
    assert!(
        text.contains("\t\tjoin: {\n\t\t\t@host(function)\n\t\t\tleft!: string\n\t\t\tright!: string\n\t\t\tresult: null | string\n\t\t}\n"),
        "{text}"
    );
    assert!(text.contains("\ttoken?: null | string @mark(sensitive)\n"), "{text}");
    assert!(!text.contains("cloud_image"));
    parsed(&text);
}
