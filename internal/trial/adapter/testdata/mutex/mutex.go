// Package mutex has a factory of mutexes.
package mutex

import (
	"context"

	"github.com/redis/go-redis/v9"
)

type Factory struct{ clients []redis.UniversalClient }

func NewFactory(clients []redis.UniversalClient) *Factory { return &Factory{clients} }

type Option func(*Mutex)

type Mutex struct{ name string }

func (f *Factory) NewMutex(name string, options ...Option) *Mutex { return &Mutex{name} }

func (m *Mutex) LockContext(ctx context.Context) error           { return nil }
func (m *Mutex) UnlockContext(ctx context.Context) (bool, error) { return true, nil }
