package scenarios

import _ "embed"

// Language describes the language of stories, as Markdown that is also fit to
// be read as it is.
//
//go:embed README.md
var Language string
