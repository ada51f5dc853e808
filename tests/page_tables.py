"""The tables of a page of HTML, for tests that read what a report shows."""

from html.parser import HTMLParser


class Tables(HTMLParser):
    """The tables of a page, as rows of the text of their cells."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.numbers: list[set[int]] = []
        """Of each table, the columns whose cells are aligned as numbers."""
        self._is_cell = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
            self.numbers.append(set())
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            if ("class", "number") in attrs:
                self.numbers[-1].add(len(self.tables[-1][-1]))
            self.tables[-1][-1].append("")
            self._is_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th"}:
            self._is_cell = False

    def handle_data(self, data: str) -> None:
        if self._is_cell:
            self.tables[-1][-1][-1] += data

    def under(self, *heads: str) -> list[list[str]]:
        """Return the rows of the one table with these heads."""
        [found] = [table[1:] for table in self.tables if table[0] == list(heads)]
        return found
