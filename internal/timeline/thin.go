package timeline

// Thin returns points in the order of time, at most 4 for each of the columns: as [Series.Points]
// does for points that no store has gathered.
func Thin(points []Point, columns int) []Point {
	l := Series{points: points}
	return l.Points(columns)
}
