"""Read an HTML page as a browser would, and refuse what is not nested as it should be."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "br", "wbr", "img", "link", "input", "hr", "base"}


@dataclass
class Element:
    tag: str
    attributes: dict
    text: str = ""  # of it and everything inside
    children: list = field(default_factory=list)


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.all = [], []

    def handle_starttag(self, tag, attrs):
        element = Element(tag, dict(attrs))
        assert len(dict(attrs)) == len(attrs), f"an attribute twice in <{tag}>"
        self.all.append(element)
        if self.open:
            self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag if self.open else ''}>"
        self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element.text += data


class Page:
    def __init__(self, text):
        reader = Reader()
        reader.feed(text)
        reader.close()
        assert not reader.open, f"not closed: {[one.tag for one in reader.open]}"
        self.elements = reader.all
        self.text = next(one for one in reader.all if one.tag == "body").text

    def find(self, tag, **attributes):
        wanted = {key.rstrip("_"): value for key, value in attributes.items()}
        return [one for one in self.elements if one.tag == tag and wanted.items() <= one.attributes.items()]

    def one(self, tag, **attributes):
        (found,) = self.find(tag, **attributes)
        return found
