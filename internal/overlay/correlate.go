package overlay

import (
	"cmp"
	"math"
	"slices"
)

// Correlation says how two series moved together, cell by cell.
type Correlation struct {
	Cells       int     // cells in which both have a value
	Independent float64 // how many independent cells tell as much: fewer, because neighbours are alike
	Rho         float64 // Spearman's rank correlation
	Low, High   float64 // its 95 % interval
	Lag         int     // cells by which the second follows the first where the correlation is the largest in size
	AtLag       float64 // the correlation there
}

// Bounds of what can be correlated.
const (
	leastCells       = 20
	leastIndependent = 8.0
	leastOther       = 8    // cells that have another value than the most frequent one: ranks of fewer are not near normal
	leastOverlap     = 0.75 // part of the cells in which both have a value at a lag
)

// z95 is the quantile of the normal distribution for an interval of 95 %.
const z95 = 1.959964

// Correlate correlates two series of cells of equal width. A cell without a value is NaN. It
// returns a reason where there is no correlation.
//
// The interval is Fisher's with the variance of Bonett and Wright (2000) for ranks. Cells that
// follow each other are alike, so n is the number of independent ones: Bartlett's variance of the
// correlation of two autocorrelated series, as Pyper and Peterman (1998) use it.
func Correlate(x, y []float64) (Correlation, string) {
	a, b := common(x, y)
	c := Correlation{Cells: count(a)}
	switch {
	case c.Cells < leastCells:
		return c, "too few cells with values of both"
	case others(a) == 0:
		return c, "the series beside the capture is constant"
	case others(b) == 0:
		return c, "the figure is constant"
	case others(a) < leastOther:
		return c, "the series beside the capture has one value in nearly all cells"
	case others(b) < leastOther:
		return c, "the figure has one value in nearly all cells"
	}
	a, b = standardRanks(a), standardRanks(b)
	c.Rho = product(a, b, 0)
	c.Independent = independent(a, b, c.Cells)
	if c.Independent < leastIndependent {
		return c, "neighbouring cells are so alike that too few independent ones remain"
	}
	z := math.Atanh(min(max(c.Rho, -0.999999), 0.999999))
	half := z95 * math.Sqrt((1+c.Rho*c.Rho/2)/(c.Independent-3))
	c.Low, c.High = math.Tanh(z-half), math.Tanh(z+half)
	c.Lag, c.AtLag = largest(a, b, c.Rho)
	return c, ""
}

// common returns copies of both in which a cell has a value in both or in none.
func common(x, y []float64) (a, b []float64) {
	n := min(len(x), len(y))
	a, b = slices.Clone(x[:n]), slices.Clone(y[:n])
	for i := range a {
		if math.IsNaN(a[i]) || math.IsNaN(b[i]) {
			a[i], b[i] = math.NaN(), math.NaN()
		}
	}
	return a, b
}

func count(list []float64) (n int) {
	for _, v := range list {
		if !math.IsNaN(v) {
			n++
		}
	}
	return n
}

// others returns how many cells have another value than the most frequent one.
func others(list []float64) int {
	sorted := slices.DeleteFunc(slices.Clone(list), math.IsNaN)
	slices.Sort(sorted)
	most := 0
	for from := 0; from < len(sorted); {
		to := from
		for to < len(sorted) && sorted[to] == sorted[from] {
			to++
		}
		most, from = max(most, to-from), to
	}
	return len(sorted) - most
}

// standardRanks replaces values by their ranks, equal ones by the mean of theirs, and makes the mean
// of the ranks 0 and their variance 1.
func standardRanks(list []float64) []float64 {
	var order []int
	for i, v := range list {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(list[i], list[j]) })
	out := slices.Clone(list)
	n := float64(len(order))
	square := 0.0
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && list[order[to]] == list[order[from]] {
			to++
		}
		rank := float64(from+to-1)/2 - (n-1)/2
		for _, i := range order[from:to] {
			out[i] = rank
			square += rank * rank
		}
		from = to
	}
	scale := math.Sqrt(n / square)
	for _, i := range order {
		out[i] *= scale
	}
	return out
}

// product returns the mean product of each cell of a and the cell of b that is lag cells later.
func product(a, b []float64, lag int) float64 {
	sum, n := products(a, b, lag)
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

func products(a, b []float64, lag int) (sum float64, n int) {
	for i := max(0, -lag); i < len(a) && i+lag < len(b); i++ {
		if p := a[i] * b[i+lag]; !math.IsNaN(p) {
			sum += p
			n++
		}
	}
	return sum, n
}

// independent returns how many independent cells tell as much about the correlation as n cells of
// two autocorrelated series. Lags go up to a fifth of the cells.
func independent(a, b []float64, n int) float64 {
	sum := 1.0
	for lag := 1; lag <= len(a)/5; lag++ {
		sum += 2 * float64(len(a)-lag) / float64(len(a)) * product(a, a, lag) * product(b, b, lag)
	}
	return float64(n) / max(1, sum)
}

// largest returns the lag at which the correlation is the largest in size, up to a quarter of the
// cells, and the correlation there. The smaller of two lags that do not differ wins.
func largest(a, b []float64, atZero float64) (lag int, rho float64) {
	rho = atZero
	least := leastOverlap * float64(count(a))
	for d := 1; d <= len(a)/4; d++ {
		for _, l := range [...]int{d, -d} {
			sum, n := products(a, b, l)
			if float64(n) < least {
				continue
			}
			if r := sum / float64(n); math.Abs(r) > math.Abs(rho)+1e-9 {
				lag, rho = l, r
			}
		}
	}
	return lag, min(max(rho, -1), 1)
}
