package lesson

// A Part is a labelled passage of a card.
type Part struct{ Label, Text string }
