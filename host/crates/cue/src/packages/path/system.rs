//! How each system writes paths.
//!
//! Everything that has a meaning (separators, drive letters, dots) is ASCII, so that cutting at it keeps UTF-8.

use super::super::arguments::Result;
use crate::builtin::Failure;

/// A kind of system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum System {
    Unix,
    Windows,
    Plan9,
}

/// Systems that write paths as Unix does.
const LIKE_UNIX: &[&str] = &[
    "unix",
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "linux",
    "nacl",
    "netbsd",
    "openbsd",
    "solaris",
    "zos",
];

/// Names that are devices in every folder of Windows.
const DEVICES: &[&str] = &[
    "CON", "PRN", "AUX", "NUL", "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9", "LPT1", "LPT2", "LPT3", "LPT4", "LPT5",
    "LPT6", "LPT7", "LPT8", "LPT9",
];

impl System {
    pub(super) fn named(name: &str) -> Result<Self> {
        match name {
            "windows" => Ok(Self::Windows),
            "plan9" => Ok(Self::Plan9),
            name if LIKE_UNIX.contains(&name) => Ok(Self::Unix),
            _ => Err(Failure::eval(format!("{name:?} is not a system whose paths are known"))),
        }
    }
}

/// The paths of a system.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paths(pub(super) System);

impl Paths {
    fn windows(self) -> bool {
        self.0 == System::Windows
    }

    pub(super) fn separator(self) -> char {
        if self.windows() { '\\' } else { '/' }
    }

    fn separates(self, c: char) -> bool {
        c == '/' || c == '\\' && self.windows()
    }

    /// How long the name of the volume is that a path begins with: `C:` or `\\host\share`.
    fn volume_length(self, path: &str) -> usize {
        if !self.windows() {
            return 0;
        }
        let bytes = path.as_bytes();
        if let [letter, b':', ..] = bytes
            && letter.is_ascii_alphabetic()
        {
            return 2;
        }
        let slash = |at: usize| matches!(bytes.get(at), Some(b'/' | b'\\'));
        let named = |at: usize| bytes.get(at).is_some_and(|byte| !matches!(byte, b'/' | b'\\' | b'.'));
        if bytes.len() < 5 || !slash(0) || !slash(1) || !named(2) {
            return 0;
        }
        let Some(host_end) = (3..bytes.len() - 1).find(|at| slash(*at)) else {
            return 0;
        };
        if !named(host_end + 1) {
            return 0;
        }
        (host_end + 1..bytes.len()).find(|at| slash(*at)).unwrap_or(bytes.len())
    }

    /// The volume and the rest.
    fn cut_volume(self, path: &str) -> (&str, &str) {
        path.split_at_checked(self.volume_length(path)).unwrap_or(("", path))
    }

    pub(super) fn volume(self, path: &str) -> &str {
        self.cut_volume(path).0
    }

    pub(super) fn from_slash(self, path: &str) -> String {
        if self.windows() { path.replace('/', "\\") } else { path.to_owned() }
    }

    pub(super) fn to_slash(self, path: &str) -> String {
        if self.windows() { path.replace('\\', "/") } else { path.to_owned() }
    }

    pub(super) fn is_absolute(self, path: &str) -> bool {
        match self.0 {
            System::Unix => path.starts_with('/'),
            System::Plan9 => path.starts_with(['/', '#']),
            System::Windows => {
                let (volume, rest) = self.cut_volume(path);
                DEVICES.iter().any(|device| device.eq_ignore_ascii_case(path)) || !volume.is_empty() && rest.starts_with(['/', '\\'])
            }
        }
    }

    /// The shortest path that means the same.
    pub(super) fn clean(self, path: &str) -> String {
        let (volume, rest) = self.cut_volume(path);
        if rest.is_empty() {
            let share = volume.len() > 1 && !volume.ends_with(':');
            return if share { self.from_slash(path) } else { format!("{path}.") };
        }
        let rooted = rest.starts_with(|c| self.separates(c));
        let mut parts: Vec<&str> = Vec::new();
        for part in rest.split(|c| self.separates(c)) {
            match part {
                "" | "." => {}
                ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
                ".." if rooted => {}
                part => parts.push(part),
            }
        }
        let separator = self.separator().to_string();
        let joined = parts.join(&separator);
        let root = if rooted { separator.as_str() } else { "" };
        let clean = format!("{volume}{root}{joined}");
        self.from_slash(if rooted || !parts.is_empty() { clean } else { format!("{volume}.") }.as_str())
    }

    /// The last separator's end, but not within the volume.
    fn directory_length(self, path: &str) -> usize {
        let (volume, rest) = self.cut_volume(path);
        volume.len() + rest.rfind(|c| self.separates(c)).map_or(0, |at| at + 1)
    }

    pub(super) fn split(self, path: &str) -> (&str, &str) {
        path.split_at_checked(self.directory_length(path)).unwrap_or((path, ""))
    }

    pub(super) fn extension(self, path: &str) -> &str {
        let file = path.rsplit(|c| self.separates(c)).next().unwrap_or("");
        file.rfind('.').and_then(|at| file.get(at..)).unwrap_or("")
    }

    pub(super) fn base(self, path: &str) -> String {
        if path.is_empty() {
            return ".".to_owned();
        }
        let stripped = path.trim_end_matches(|c| self.separates(c));
        let (_, rest) = self.cut_volume(stripped);
        match rest.rsplit(|c| self.separates(c)).next() {
            Some(file) if !file.is_empty() => file.to_owned(),
            _ => self.separator().to_string(),
        }
    }

    pub(super) fn directory(self, path: &str) -> String {
        let (directory, _) = self.split(path);
        let (volume, rest) = self.cut_volume(path);
        let rest = rest.get(..directory.len().saturating_sub(volume.len())).unwrap_or("");
        let directory = self.clean(rest);
        if directory == "." && volume.len() > 2 { volume.to_owned() } else { format!("{volume}{directory}") }
    }

    pub(super) fn split_list(self, path: &str) -> Vec<String> {
        if path.is_empty() {
            return Vec::new();
        }
        match self.0 {
            System::Unix => path.split(':').map(str::to_owned).collect(),
            System::Plan9 => path.split('\0').map(str::to_owned).collect(),
            System::Windows => {
                // Between quotation marks a semicolon separates nothing.
                let mut quoted = false;
                let separates = |c: char| {
                    quoted ^= c == '"';
                    c == ';' && !quoted
                };
                path.split(separates).map(|part| part.replace('"', "")).collect()
            }
        }
    }

    pub(super) fn join(self, parts: &[&str]) -> String {
        let Some(first) = parts.iter().position(|part| !part.is_empty()) else {
            return String::new();
        };
        let parts = parts.get(first..).unwrap_or(&[]);
        let separator = self.separator().to_string();
        let Some((head, tail)) = parts.split_first() else {
            return String::new();
        };
        if !self.windows() {
            return self.clean(&parts.join(&separator));
        }
        if head.len() == 2 && head.ends_with(':') {
            // A drive without a root: what follows stays relative to the folder that is open there.
            let next = tail.iter().position(|part| !part.is_empty()).unwrap_or(tail.len());
            return self.clean(&format!("{head}{}", tail.get(next..).unwrap_or(&[]).join(&separator)));
        }
        let joined = self.clean(&parts.join(&separator));
        let share = |path: &str| self.volume_length(path) > 2;
        let head = self.clean(head);
        if !share(&joined) || share(&head) {
            return joined;
        }
        // Joining never makes a share of what is none.
        let tail = self.clean(&tail.join(&separator));
        if head.ends_with('\\') { format!("{head}{tail}") } else { format!("{head}\\{tail}") }
    }

    pub(super) fn resolve(self, directory: &str, below: &str) -> String {
        if self.is_absolute(below) {
            return self.clean(below);
        }
        self.join(&[&self.clean(directory), below])
    }

    fn same(self, a: &str, b: &str) -> bool {
        if !self.windows() {
            return a == b;
        }
        a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
    }

    /// The way from one path to another.
    pub(super) fn relative(self, from: &str, to: &str) -> Result<String> {
        let impossible = || Failure::eval(format!("Rel: can't make {to} relative to {from}"));
        let (base, target) = (self.clean(from), self.clean(to));
        if self.same(&base, &target) {
            return Ok(".".to_owned());
        }
        let (base_volume, target_volume) = (self.volume(from), self.volume(to));
        let base = base.get(base_volume.len()..).unwrap_or("");
        let target = target.get(target_volume.len()..).unwrap_or("");
        let base = if base == "." { "" } else { base };
        let separator = self.separator();
        if base.starts_with(separator) != target.starts_with(separator) || !self.same(base_volume, target_volume) {
            return Err(impossible());
        }
        let parts = |path: &'_ str| -> Vec<String> { if path.is_empty() { Vec::new() } else { path.split(separator).map(str::to_owned).collect() } };
        let (base, target) = (parts(base), parts(target));
        let common = base.iter().zip(&target).take_while(|(a, b)| self.same(a, b)).count();
        let up: Vec<&String> = base.iter().skip(common).filter(|part| !part.is_empty()).collect();
        if up.first().is_some_and(|part| *part == "..") {
            return Err(impossible());
        }
        let down = target.iter().skip(common).filter(|part| !part.is_empty());
        let way: Vec<&str> = up.iter().map(|_| "..").chain(down.map(String::as_str)).collect();
        Ok(way.join(&separator.to_string()))
    }
}
