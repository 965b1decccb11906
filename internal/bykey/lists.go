package bykey

// Lists holds lists by key. It keeps the keys in the order in which they came.
type Lists[T any] struct {
	Keys []string
	Of   map[string][]T
}

// Add adds v to the list of a key.
func (l *Lists[T]) Add(key string, v T) {
	if l.Of == nil {
		l.Of = map[string][]T{}
	}
	if l.Of[key] == nil {
		l.Keys = append(l.Keys, key)
	}
	l.Of[key] = append(l.Of[key], v)
}
