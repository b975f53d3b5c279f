package program

import (
	"bytes"

	"lockstep/sim"
	"lockstep/sim/zookeeper"
)

// zookeeperDialect is the protocol of ZooKeeper. The commands of a unit are the
// name of a request and its frame.
type zookeeperDialect struct {
	connected bool // the connect request has been sent
}

// requests drops pings: a client that can be reached keeps its session alive,
// see sim.Server.Attend, and it notices the end of its connection when a
// request fails or the server says so.
func (d *zookeeperDialect) requests(written *bytes.Buffer) (units []sim.Unit, _ []byte, err error) {
	for {
		frame, rest, ok, err := zookeeper.Cut(written.Bytes())
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			return units, nil, nil
		}
		frame = bytes.Clone(frame)
		written.Next(written.Len() - len(rest))
		request, err := zookeeper.ParseRequest(frame, !d.connected)
		if err != nil {
			return nil, nil, err
		}
		d.connected = true
		if request.Op != zookeeper.Ping {
			units = append(units, sim.Unit{Cmds: [][]string{{request.Op.String(), string(frame)}}, Shown: [][]string{request.Text()}, Renews: request.Renews()})
		}
	}
}
