// Reads texts as a JSON list from stdin, and writes what Markdown makes of them:
// HTML allowed, addresses made links, so that all that could become more than text
// does.
import MarkdownIt from "markdown-it";
import {readFileSync} from "node:fs";

const markdown = new MarkdownIt({html: true, linkify: true});
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map((text) => markdown.render(text))));
