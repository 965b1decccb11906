package diff

// Always holds the names of the fields that Normalise leaves out.
var Always = always
