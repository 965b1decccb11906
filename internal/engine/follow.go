package engine

import (
	"context"
	"io"
)

// Follow stub
func Follow(ctx context.Context, o Options, w io.Writer) (FollowResult, error) {
	return FollowResult{}, nil
}
