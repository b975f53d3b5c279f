package explore

import "lockstep/internal/testkit"

// raced is short for testkit.Raced, which many tests here use.
const raced = testkit.Raced
