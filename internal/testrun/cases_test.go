package testrun

import (
	"slices"
	"testing"
)

// TestFew takes whole lists, and parts of long ones with -short.
func TestFew(t *testing.T) {
	list := make([]int, 24)
	for i := range list {
		list[i] = i
	}
	want := list
	if testing.Short() {
		want = []int{0, 8, 16}
	}
	if got := Few(list); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Few(list[:2]); !slices.Equal(got, list[:2]) {
		t.Errorf("of two: %v", got)
	}
}

// TestSample takes parts of lists: all, a quarter that is spread over the list, and
// never nothing of something.
func TestSample(t *testing.T) {
	list := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
	t.Setenv(Variable, "all")
	if got := Sample(list); !slices.Equal(got, list) {
		t.Errorf("all of the list: %v", got)
	}
	t.Setenv(Variable, "")
	want, one := []int{0, 4}, []int{0}
	if testing.Short() {
		want = one
	}
	if got := Sample(list); !slices.Equal(got, want) {
		t.Errorf("a part of the list: %v, want %v", got, want)
	}
	want = []int{7, 2}
	if testing.Short() {
		want = []int{7}
	}
	if got := SampleFrom(list, 25); !slices.Equal(got, want) {
		t.Errorf("another part of the list: %v, want %v", got, want)
	}
	if got := Sample(list[:1]); !slices.Equal(got, one) {
		t.Errorf("of one element: %v, want it", got)
	}
	if got := Sample(list[:0]); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}
