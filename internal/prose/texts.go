//go:build !js

package prose

import "embed"

//go:embed */*.toml
var texts embed.FS
