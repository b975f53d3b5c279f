package explore

import "lockstep/sim/testsize"

// raced is short: many tests here ask.
const raced = testsize.Raced
