//! Aligns what stands in columns, over lines that follow each other.
//!
//! A cell ends in a tab stop; what stands behind the last tab stop of a line is in no column. A column block is a run
//! of lines that all have a cell in that column; all its cells are as wide as the widest and a blank. Columns of empty
//! cells take no room. Empty cells at the start of a line are indentation and stay tabs.

const TAB_WIDTH: usize = 8;

#[derive(Clone, Debug, Default)]
struct Cell {
    text: String,
    width: usize,
    /// Whether a tab, and not a soft tab stop, ended it.
    hard: bool,
}

/// Collects lines and writes them aligned.
#[derive(Debug, Default)]
pub(super) struct Columns {
    lines: Vec<Vec<Cell>>,
    cell: Cell,
    out: String,
}

impl Columns {
    pub(super) fn new() -> Self {
        Self { lines: vec![Vec::new()], cell: Cell::default(), out: String::new() }
    }

    /// Text within a cell; line breaks in it do not end the line.
    pub(super) fn text(&mut self, text: &str) {
        self.cell.text.push_str(text);
        self.cell.width += text.chars().count();
    }

    fn end_cell(&mut self, hard: bool) -> usize {
        let cell = Cell { hard, ..std::mem::take(&mut self.cell) };
        match self.lines.last_mut() {
            Some(line) => {
                line.push(cell);
                line.len()
            }
            None => {
                self.lines.push(vec![cell]);
                1
            }
        }
    }

    /// A tab of the indentation.
    pub(super) fn tab(&mut self) {
        self.end_cell(true);
    }

    /// A tab stop.
    pub(super) fn stop(&mut self) {
        self.end_cell(false);
    }

    /// A line break.
    pub(super) fn line_break(&mut self) {
        let cells = self.end_cell(false);
        self.lines.push(Vec::new());
        // The last cell is in no column, so that a line with one cell ends all of them.
        if cells == 1 {
            self.flush();
        }
    }

    /// A line break behind which nothing is aligned with what came before.
    pub(super) fn section_break(&mut self) {
        self.end_cell(false);
        self.lines.push(Vec::new());
        self.flush();
    }

    fn flush(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        let mut writer = Writer { lines: &lines, widths: Vec::new(), out: &mut self.out };
        writer.block(0, lines.len());
        self.lines.push(Vec::new());
    }

    /// Everything, aligned.
    pub(super) fn finish(mut self) -> String {
        self.end_cell(false);
        self.flush();
        self.out
    }
}

struct Writer<'a> {
    lines: &'a [Vec<Cell>],
    widths: Vec<usize>,
    out: &'a mut String,
}

impl Writer<'_> {
    /// Writes lines whose first columns are decided.
    fn block(&mut self, mut start: usize, end: usize) {
        let column = self.widths.len();
        let lines = self.lines;
        let cell = |at: usize| lines.get(at).filter(|line| column + 1 < line.len()).and_then(|line| line.get(column));
        let mut at = start;
        while at < end {
            if cell(at).is_none() {
                at += 1;
                continue;
            }
            self.write(start, at);
            start = at;
            let mut width = 0;
            let mut empty = true;
            while let Some(cell) = cell(at).filter(|_| at < end) {
                width = width.max(cell.width + 1);
                empty &= cell.width == 0 && !cell.hard;
                at += 1;
            }
            self.widths.push(if empty { 0 } else { width });
            self.block(start, at);
            self.widths.pop();
            start = at;
        }
        self.write(start, end);
    }

    fn write(&mut self, start: usize, end: usize) {
        for at in start..end {
            let Some(line) = self.lines.get(at) else {
                return;
            };
            let mut indentation = true;
            for (column, cell) in line.iter().enumerate() {
                indentation &= cell.width == 0;
                self.out.push_str(&cell.text);
                let Some(width) = self.widths.get(column) else {
                    continue;
                };
                if indentation {
                    let width = width.div_ceil(TAB_WIDTH) * TAB_WIDTH;
                    self.out.extend(std::iter::repeat_n('\t', width / TAB_WIDTH));
                } else {
                    self.out.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.width)));
                }
            }
            if at + 1 < self.lines.len() {
                self.out.push('\n');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_neighbours_are_aligned() {
        let mut columns = Columns::new();
        for (label, value) in [("a:", "1"), ("long:", "2")] {
            columns.tab();
            columns.text(label);
            columns.stop();
            columns.text(value);
            columns.line_break();
        }
        columns.section_break();
        columns.text("b:");
        columns.stop();
        columns.text("3");
        assert_eq!(columns.finish(), "\ta:    1\n\tlong: 2\n\nb: 3");
    }
}
