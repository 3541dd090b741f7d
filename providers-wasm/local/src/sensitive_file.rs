//! `local_sensitive_file`, the resource.

use pravo_sdk::{Attr, Context, Diagnostics, Resource, Result};

use crate::digests::Digests;
use crate::permission;
use crate::stored;

/// A file with given contents that are not shown.
#[derive(Resource)]
#[pravo(name = "local_sensitive_file")]
pub struct SensitiveFile {
    /// Where the file is. Directories that are missing above it are made.
    #[pravo(required, replace)]
    filename: Attr<String>,
    /// The contents, as text.
    #[pravo(optional, replace, sensitive)]
    content: Attr<String>,
    /// The contents, in base64.
    #[pravo(optional, replace, sensitive)]
    content_base64: Attr<String>,
    /// A file that has the contents.
    #[pravo(optional, replace)]
    source: Attr<String>,
    /// The permissions of a file that is made, before the umask, as octal digits.
    #[pravo(optional, default = "0700", replace, validate = permission::check)]
    file_permission: Attr<String>,
    /// The permissions of directories that are made, before the umask, as octal digits.
    #[pravo(optional, default = "0700", replace, validate = permission::check)]
    directory_permission: Attr<String>,
    #[pravo(flatten)]
    digests: Digests,
}

impl Resource for SensitiveFile {
    type Configuration = ();

    fn validate(config: &Self, diagnostics: &mut Diagnostics) {
        let arguments = [("content", &config.content), ("content_base64", &config.content_base64), ("source", &config.source)];
        stored::check_contents(&arguments, diagnostics);
    }

    fn create(mut planned: Self, _: &Context<'_, ()>) -> Result<Self> {
        let contents = stored::contents(&Attr::Null, &planned.content_base64, &planned.source, &planned.content)?;
        let filename = planned.filename.known().cloned().unwrap_or_default();
        stored::write(&filename, &contents, &planned.file_permission, &planned.directory_permission)?;
        planned.digests = Digests::of(&contents);
        Ok(planned)
    }

    fn read(recorded: Self, _: &Context<'_, ()>) -> Result<Option<Self>> {
        let filename = recorded.filename.known().cloned().unwrap_or_default();
        Ok(stored::unchanged(&filename, recorded.digests.id.known())?.then_some(recorded))
    }

    fn delete(recorded: Self, _: &Context<'_, ()>) -> Result<()> {
        stored::remove(recorded.filename.known().map_or("", String::as_str));
        Ok(())
    }
}
