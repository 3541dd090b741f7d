//! Which node a comment hangs on, and in front of which of its tokens.
//!
//! Kept true here: a comment hangs on the innermost construct that was open when its line was read, with the number
//! of tokens and parts of it that came before; in a list of parts (declarations, elements, operands) it hangs on the
//! part before it, so that nothing falls between. Constructs are numbered as they are closed; the tree gets the
//! comments at the end by these numbers, for a comment may go to a node that is closed already.

use std::collections::HashMap;

use super::super::ast::{CommentGroup, Comments, insert_by_position};

/// An open construct.
#[derive(Debug, Default)]
struct Open {
    /// How many tokens and parts there were.
    position: i8,
    groups: Vec<CommentGroup>,
    /// How many lists are open in a row; 0 for a node.
    lists: u32,
    last_child: Option<u32>,
    last_position: i8,
}

/// The constructs that are open, from the outermost on, and the comments of those that are closed.
#[derive(Debug)]
pub(super) struct CommentState {
    stack: Vec<Open>,
    /// A comment directly above the next token, which the next construct that opens gets.
    lead: Option<CommentGroup>,
    closed: HashMap<u32, Vec<CommentGroup>>,
    count: u32,
}

impl CommentState {
    pub(super) fn new() -> Self {
        let root = Open { position: -1, ..Open::default() };
        Self { stack: vec![root], lead: None, closed: HashMap::new(), count: 0 }
    }

    /// Comments for a node that is not closed yet.
    pub(super) fn reserve(&mut self) -> Comments {
        self.count += 1;
        Comments::pending(self.count)
    }

    fn top(&mut self) -> &mut Open {
        if self.stack.is_empty() {
            self.stack.push(Open::default());
        }
        let last = self.stack.len() - 1;
        &mut self.stack[last]
    }

    /// A token was read.
    pub(super) fn token(&mut self) {
        let top = self.top();
        top.position = top.position.saturating_add(1);
    }

    /// Sets the number of tokens of the innermost construct.
    pub(super) fn set_position(&mut self, position: i8) {
        self.top().position = position;
    }

    /// A comment that stands here.
    pub(super) fn add(&mut self, mut group: CommentGroup) {
        let top = self.top();
        group.position = top.position;
        top.groups.push(group);
    }

    /// A comment directly above the next token.
    pub(super) fn set_lead(&mut self, group: CommentGroup) {
        self.lead = Some(group);
    }

    /// A lead comment that nobody took before the next token is a comment like others.
    pub(super) fn flush_lead(&mut self) {
        if let Some(group) = self.lead.take() {
            self.add(group);
        }
    }

    /// A node begins.
    pub(super) fn open(&mut self) {
        let mut child = Open::default();
        let top = self.top();
        if top.lists > 0 && !top.groups.is_empty() {
            let groups = std::mem::take(&mut top.groups);
            let (last, position) = (top.last_child, top.last_position);
            match last {
                Some(last) => self.attach_behind(last, position, groups),
                None => child.groups.extend(groups.into_iter().map(|group| CommentGroup { position: 0, ..group })),
            }
        }
        child.groups.extend(self.lead.take());
        self.stack.push(child);
    }

    fn attach_behind(&mut self, child: u32, position: i8, groups: Vec<CommentGroup>) {
        let existing = self.closed.remove(&child).unwrap_or_default();
        let (before, behind): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| group.position == 0);
        let behind = behind.into_iter().map(|group| CommentGroup { position, ..group });
        self.closed.insert(child, before.into_iter().chain(existing).chain(behind).collect());
    }

    fn attach(&mut self, node: u32, group: CommentGroup) {
        insert_by_position(self.closed.entry(node).or_default(), group);
    }

    /// A node ends: its comments go to the node with these comments.
    pub(super) fn close(&mut self, comments: &Comments) {
        if self.stack.len() < 2 {
            return;
        }
        let Some(open) = self.stack.pop() else {
            return;
        };
        let number = comments.pending_number();
        let parent = self.top();
        parent.last_child = number;
        parent.last_position = open.position;
        parent.position = parent.position.saturating_add(1);
        if let Some(number) = number {
            for group in open.groups {
                self.attach(number, group);
            }
        }
    }

    /// A node ends that has no comments reserved yet.
    pub(super) fn close_new(&mut self) -> Comments {
        let comments = self.reserve();
        self.close(&comments);
        comments
    }

    /// A list of parts begins.
    pub(super) fn open_list(&mut self) {
        let top = self.top();
        if top.lists > 0 {
            top.lists += 1;
        } else {
            self.stack.push(Open { lists: 1, ..Open::default() });
        }
    }

    /// A list of parts ends.
    pub(super) fn close_list(&mut self) {
        let top = self.top();
        if let Some(child) = top.last_child {
            let position = top.last_position;
            for group in std::mem::take(&mut top.groups) {
                self.attach(child, CommentGroup { position, ..group });
            }
        }
        let top = self.top();
        top.lists = top.lists.saturating_sub(1);
        if top.lists > 0 || self.stack.len() < 2 {
            return;
        }
        if let Some(list) = self.stack.pop() {
            let parent = self.top();
            parent.groups.extend(list.groups);
            parent.position = parent.position.saturating_add(1);
        }
    }

    /// What is left at the end of the file, and the comments of all nodes.
    pub(super) fn finish(mut self) -> (Vec<CommentGroup>, HashMap<u32, Vec<CommentGroup>>) {
        let mut rest = Vec::new();
        for open in self.stack.drain(..) {
            for group in open.groups {
                insert_by_position(&mut rest, group);
            }
        }
        rest.extend(self.lead);
        (rest, self.closed)
    }
}
