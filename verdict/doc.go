// Package verdict tries a lock that is not of the catalogue under every hazard and
// says what came of it. A Plan is what is asked for, with what the contract of the
// lock allows; a Trial tries it; a Report is what came of one hazard.
package verdict
