package explore

import "lockstep/internal/testkit"

// raced is short: many tests here ask.
const raced = testkit.Raced
