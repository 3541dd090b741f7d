//! `encoding/openapi`: the types of its configuration.
//!
//! Deliberately absent: `MarshalSchema`, which turns CUE schemas into OpenAPI documents.

use crate::builtin::Package;

pub(super) static OPENAPI: Package = Package {
    path: "encoding/openapi",
    functions: &[],
    source: "\
#Config: {
	version!:         \"3.0.0\"
	info?:            #Info
	selfContained:    bool | *false
	expandReferences: bool | *false
}
#Info: {
	title!:          string
	version!:        string
	summary?:        string
	description?:    string
	termsOfService?: string
	contact?:        #Contact
	license?:        #License
}
#Contact: {
	name?:  string
	url?:   string
	email?: string
}
#License: {
	name!: string
	url?:  string
}
",
};
