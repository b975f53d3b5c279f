/* The locks get-then-del and set-lua in a bounded world, written by hand from
 * what the commands mean and what a client's program is. No line of it is
 * derived from Go code: it is a second opinion on how many states and
 * transitions there are. TestAgainstSpin asks for it.
 *
 * Every action of the world is one d_step, so that one transition here is one
 * there. What is 0 or hidden tells no states apart; whatever has no future is
 * set to 0.
 *
 * Defined from outside, times in milliseconds:
 *   BFS              if the verifier searches breadth first
 *   LUA              1: set-lua; 0: get-then-del
 *   CLIENTS ROUNDS   how many (2 or 3), and how often each does its work
 *   TTL WORK         of a lease, and how long the work takes; WORK may be 0
 *   ATTEMPTS POLL    to acquire, in a round; how long it waits between two
 *   NEST             2: the holder acquires again before it works; 1: it does not
 *   TIMEOUT          after which a client gives up waiting for a reply
 *   TICKS ANYWHERE   how often time passes; 1: at any moment
 *   LEAP             by how much where nothing waits for time; 0 is not at all
 *   LAG              1: the node has a replica that lacks its last write; 0: none
 *   BUDGET           of faults: CRASH HANG FLUSH LOSE_REPLY LATE WIPE EVICT
 *                    PROMOTE PARTITION, each 0 or 1, and
 *   JUMP NODE_JUMP   of a client's clock, and of the node's, both ways, by how
 *                    much; 0 for none
 *   SLOW FAST        how fast a client's clock may run from then on, and the
 *   NODE_SLOW NODE_FAST  node's, in thousandths of true speed; 0 for no other
 */

#if NEST > 1 && (ATTEMPTS > 1 || ANYWHERE || BUDGET > 0)
#error "a nested acquisition is modelled where it must be refused"
#endif
#if LATE && (WIPE || PROMOTE || PARTITION)
#error "what becomes of a request on its way when its connection ends is not modelled"
#endif
#if LAG > 1 || PROMOTE && !LAG
#error "a replica that takes over is modelled where it lacks one write"
#endif

#if CLIENTS == 2
#define ANY(p) (p(0) || p(1))
#define EACH(f) f(0) f(1)
#else
#define ANY(p) (p(0) || p(1) || p(2))
#define EACH(f) f(0) f(1) f(2)
#endif

/* Where a client is: what it does at its next step. */
#define START 0
#define SET 1
#define NAP 2 /* between two attempts */
#define ENTER 3
#define READ 4
#define AGAIN 5 /* SET, nested */
#define WORKS 6
#define WRITE 7
#define LEAVE 8
#define GET 9
#define DEL 10
#define EVALSHA 11
#define EVAL 12
#define DONE 13
#define DEAD 14

/* Where its command is. */
#define HERE 0 /* it has not left */
#define AWAY 1 /* it has not arrived */
#define LOST 2 /* executed or not, no reply will come */

/* What a reply says; never 0. ZERO and ONE are numbers. */
#define OK 1
#define NIL 2
#define ZERO 3
#define ONE 4
#define NOSCRIPT 5
#define SILENCE 6 /* there was none */
#define VALUE 7   /* + a token */

/* Tokens are numbers from 1; 0 is none. */
#define TOKENS (ROUNDS * (ATTEMPTS + NEST - 1)) /* of a client */
#define fresh(me) (me * TOKENS + c[me].drawn)
#define owner(its) ((its - 1) / TOKENS)

/* A client's state is all that it has observed: its program is a function of
 * that. So it remembers every reply and every look at the resource, also what
 * its program has no use for any more. */
#define LOG (ROUNDS * (ATTEMPTS + NEST - 1 + 6))

typedef client {
	byte at;
	byte round;
	byte attempt;
	byte drawn;     /* tokens so far */
	byte token;     /* that it acquires, or holds the lock, under */
	byte stock;     /* that it read and may write */
	byte log[LOG];
	byte logged;
	byte flight;    /* of its command */
	int until;      /* it sleeps, or waits for a reply */
	bool hung;
	bool cut;       /* between it and the node nothing gets through */
	int ahead;      /* its clock, by which it sleeps and which neither lock reads: */
	short drift     /* now * (1000 + drift) + ahead, in microseconds */
};

client c[CLIENTS];

int now;
byte ticks, faults; /* spent */

byte key;      /* the token that the node has stored; 0 for no key */
int deadline;  /* the last moment on the node's clock at which the key is there */
bool script;   /* the node knows it */
byte lives;    /* of its process: to each belong other connections */
int ahead;     /* its clock, as a client's */
short drift;

/* What its clock shows, in milliseconds, so that it is never below 0; and the
 * first moment of the world at which a deadline on it has passed. */
#define BASE 1000000000
#define shows ((BASE + ahead + now * (1000 + drift)) / 1000)
#define passes(at) (((at + 1) * 1000 - BASE - ahead + 999 + drift) / (1000 + drift))

/* How long a client sleeps in the world that sleeps for so long by its clock. */
#define sleep(me, length) ((length * 1000 + 999 + c[me].drift) / (1000 + c[me].drift))

/* A clock goes on from what it shows. */
#define turn(itsAhead, itsDrift, rate) itsAhead = itsAhead + now * (1000 + itsDrift - (rate)); itsDrift = rate - 1000

#if LAG
/* What the replica has, if there was a write that it lacks: all until then. A
 * write is a command that changed the key. */
bool lacks;
byte replicaKey;
int replicaDeadline; /* on its own clock, which is right */
#endif

byte stock = 1, version; /* the resource */

#if LATE
/* Requests on their way without anybody who waits for them: by client, the
 * oldest first; 0 is none. */
byte lateCommand[CLIENTS * BUDGET], lateToken[CLIENTS * BUDGET];
#endif

/* What an observer has to remember to judge the invariants, beyond what the
 * rest of the state says anyway: in which order those who believe that they
 * hold the lock got it (+ 1; 0 is nobody), how many of them got it before the
 * latest holder that the resource has served, whom of them the observer has
 * seen without the key, and who was kept out by its own key. */
byte holders[CLIENTS];
byte older;
bool phantom[CLIENTS], shutOut[CLIENTS];
#if LAG
/* And whose key the replica had at the last write (+ 1; 0 is nobody's). The end
 * of that key on the replica is nothing that an observer of the node sees. */
byte had;
#endif

/* What is 0 between two actions. Spin's search breadth first takes no hidden
 * variables; there they are part of each state, and tell none apart. */
#ifdef BFS
#define aside
#else
#define aside hidden
#endif
aside byte reply, n, place, keyBefore;
aside int next, deadlineBefore;

#define holds(me) (c[me].at >= ENTER && c[me].at <= LEAVE) /* as it believes */
#define sends(me) (c[me].at == SET || c[me].at >= GET && c[me].at <= EVAL)
#define sleeps(me) (c[me].at == NAP || c[me].at == WORKS)
#define waits(me) (!c[me].hung && (sleeps(me) || c[me].flight != HERE))
#define can(me) (c[me].at < DONE && !c[me].hung && (!waits(me) || c[me].until <= now))
#define busy(me) (can(me) && c[me].at != START)
#define awaits(me) (waits(me) && c[me].until > now)

/* The observer. */

inline look() {
	for (n : 0 .. CLIENTS - 1) {
		if
		:: key != 0 && owner(key) == n
		:: else ->
			shutOut[n] = false;
			phantom[n] = holds(n)
		fi
	}
	n = 0
}

inline granted(me) {
	n = 0;
	do
	:: holders[n] == 0 -> break
	:: else -> n++
	od;
	holders[n] = me + 1;
	n = 0
}

inline find(me) { /* place: among the holders */
	place = 0;
	do
	:: place == CLIENTS || holders[place] == me + 1 -> break
	:: else -> place++
	od
}

inline served(me) {
	find(me);
	if
	:: place > older -> older = place
	:: else
	fi;
	place = 0
}

inline holdsNoMore(me) {
	find(me);
	if
	:: place == CLIENTS
	:: else ->
		if
		:: place < older -> older--
		:: else
		fi;
		do
		:: place == CLIENTS - 1 -> holders[place] = 0; break
		:: else -> holders[place] = holders[place + 1]; place++
		od
	fi;
	place = 0;
	phantom[me] = false
}

/* The node. */

inline removeIf(held) {
	if
	:: held -> key = 0; deadline = 0; reply = ONE
	:: else -> reply = ZERO
	fi
}

inline execute(command, its) {
	keyBefore = key;
	deadlineBefore = deadline;
	if
	:: command == SET && key == 0 -> key = its; deadline = shows + TTL; reply = OK
	:: command == SET && key != 0 -> reply = NIL
	:: command == GET && key == 0 -> reply = NIL
	:: command == GET && key != 0 -> reply = VALUE + key
	:: command == DEL -> removeIf(key != 0)
	:: command == EVALSHA && !script -> reply = NOSCRIPT
	:: command == EVALSHA && script -> removeIf(key == its)
	:: command == EVAL -> script = true; removeIf(key == its)
	fi;
#if LAG
	if
	:: key != keyBefore -> lacks = true; replicaKey = keyBefore; replicaDeadline = (keyBefore == 0 -> 0 : passes(deadlineBefore) - 1); had = (keyBefore == 0 -> 0 : owner(keyBefore) + 1)
	:: else
	fi;
#endif
	keyBefore = 0;
	deadlineBefore = 0
}

inline expire() {
	if
	:: key != 0 && deadline < shows -> key = 0; deadline = 0
	:: else
	fi;
#if LAG
	if
	:: replicaKey != 0 && replicaDeadline < now -> replicaKey = 0; replicaDeadline = 0
	:: else
	fi
#endif
}

/* Its process begins, or the replica's in its place, with this key. The scripts
 * were in the memory of the old one, and so was what the replica lacked. That
 * the connections end concerns no client: none has a command under way between
 * two steps. */
inline beginsAgain(its, until) {
	key = its;
	deadline = until; /* on its clock */
	script = false;
	lives++;
#if LAG
	lacks = false;
	replicaKey = 0;
	replicaDeadline = 0;
	had = 0;
#endif
	look()
}

/* Only the node's: the replica's clock is turned by no fault. */
inline jump(by) {
	ahead = ahead + (by) * 1000;
	expire();
	look()
}

/* The client. */

inline ends(me, how) {
	c[me].at = how;
	c[me].round = 0;
	c[me].attempt = 0;
	c[me].drawn = 0;
	c[me].token = 0;
	c[me].stock = 0;
	for (n : 0 .. LOG - 1) {
		c[me].log[n] = 0
	}
	n = 0;
	c[me].logged = 0;
	c[me].flight = HERE;
	c[me].until = 0;
	c[me].hung = false;
	c[me].cut = false;
	c[me].ahead = 0;
	c[me].drift = 0
}

inline note(me, what) {
	c[me].log[c[me].logged] = what;
	c[me].logged++
}

inline tries(me) {
	c[me].at = SET;
	c[me].drawn++;
	c[me].token = fresh(me)
}

inline endRound(me) {
	c[me].round++;
	c[me].attempt = 0;
	c[me].token = 0;
	c[me].stock = 0;
	if
	:: c[me].round == ROUNDS -> ends(me, DONE)
	:: else -> tries(me)
	fi
}

inline goesToWork(me) {
	if
	:: WORK > 0 -> c[me].at = WORKS; c[me].until = now + sleep(me, WORK)
	:: else -> worked(me)
	fi
}

inline worked(me) {
	if
	:: c[me].stock > 0 -> c[me].at = WRITE
	:: else -> c[me].at = LEAVE
	fi
}

/* It got its reply, or gave up. */
inline answered(me) {
	note(me, reply);
	c[me].flight = HERE;
	c[me].until = 0;
	if
	:: c[me].at == SET && reply == OK ->
		granted(me);
		c[me].at = ENTER
	:: c[me].at == SET && reply != OK ->
		if
		:: reply == NIL && owner(key) == me -> shutOut[me] = true
		:: else
		fi;
		c[me].attempt++;
		if
		:: c[me].attempt == ATTEMPTS -> endRound(me)
		:: else -> c[me].at = NAP; c[me].until = now + sleep(me, POLL)
		fi
	:: c[me].at == GET && reply == VALUE + c[me].token -> c[me].at = DEL
	:: c[me].at == GET && reply != VALUE + c[me].token -> endRound(me)
	:: c[me].at == EVALSHA && reply == NOSCRIPT -> c[me].at = EVAL
	:: c[me].at == EVALSHA && reply != NOSCRIPT -> endRound(me)
	:: c[me].at == DEL || c[me].at == EVAL -> endRound(me)
	fi;
	reply = 0
}

inline step(me) {
	if
	:: c[me].at == START -> tries(me)
	:: c[me].at == NAP -> c[me].until = 0; tries(me)
	:: c[me].at == ENTER -> note(me, 1 + version); c[me].at = READ
	:: c[me].at == READ ->
		note(me, 1 + 2 * version + stock);
		c[me].stock = stock;
		served(me);
		if
		:: NEST > 1 -> c[me].at = AGAIN; c[me].drawn++
		:: else -> goesToWork(me)
		fi
	:: c[me].at == AGAIN ->
		execute(SET, fresh(me));
		assert(reply == NIL); /* its own key is there: nothing takes it away meanwhile */
		note(me, reply);
		reply = 0;
		shutOut[me] = true;
		c[me].stock = 0; /* so that it writes nothing */
		goesToWork(me)
	:: c[me].at == WORKS -> c[me].until = 0; worked(me)
	:: c[me].at == WRITE ->
		stock = c[me].stock - 1;
		version++;
		note(me, 1 + version);
		served(me);
		c[me].at = LEAVE
	:: c[me].at == LEAVE ->
		note(me, 1 + version);
		holdsNoMore(me);
		c[me].at = (LUA -> EVALSHA : GET)
	:: sends(me) && c[me].flight == HERE && c[me].cut -> c[me].flight = LOST; c[me].until = now + TIMEOUT
	:: sends(me) && c[me].flight == HERE && !c[me].cut -> execute(c[me].at, c[me].token); answered(me)
	:: sends(me) && c[me].flight == LOST -> reply = SILENCE; answered(me)
#if LATE
	:: sends(me) && c[me].flight == AWAY -> leaveBehind(me); reply = SILENCE; answered(me)
#endif
	fi;
	look()
}

#if LATE
inline leaveBehind(me) {
	n = me * BUDGET;
	do
	:: lateCommand[n] == 0 -> break
	:: else -> n++
	od;
	lateCommand[n] = c[me].at;
	lateToken[n] = (c[me].at == GET || c[me].at == DEL -> 0 : c[me].token); /* these name none */
	n = 0
}

inline arrivesLate(me) {
	execute(lateCommand[me * BUDGET], lateToken[me * BUDGET]);
	reply = 0;
	n = me * BUDGET;
	do
	:: n == me * BUDGET + BUDGET - 1 -> lateCommand[n] = 0; lateToken[n] = 0; break
	:: else -> lateCommand[n] = lateCommand[n + 1]; lateToken[n] = lateToken[n + 1]; n++
	od;
	n = 0;
	look()
}
#endif

/* Time. */

inline sooner(at) {
	if
	:: next == 0 || at < next -> next = at
	:: else
	fi
}

inline timePasses() {
	ticks++;
	next = 0;
	if
	:: key != 0 -> sooner(passes(deadline))
	:: else
	fi;
	for (n : 0 .. CLIENTS - 1) {
		if
		:: awaits(n) -> sooner(c[n].until)
		:: else
		fi
	}
	n = 0;
	now = (next == 0 -> now + LEAP : next);
	next = 0;
	expire();
	look()
}

#define steps(me) :: d_step { can(me) -> step(me) }

#if CRASH
#define crashes(me) :: d_step { faults < BUDGET && c[me].at != DEAD -> faults++; ends(me, DEAD); holdsNoMore(me); shutOut[me] = false }
#else
#define crashes(me)
#endif

#if HANG
#define hangs(me) :: d_step { faults < BUDGET && c[me].at < DONE && !c[me].hung -> faults++; c[me].hung = true }
#else
#define hangs(me)
#endif

/* A jump concerns also a client that is done, which no longer cares. */
#if JUMP
#define jumps(me) \
	:: d_step { faults < BUDGET && c[me].at != DEAD -> faults++; c[me].ahead = (c[me].at == DONE -> 0 : c[me].ahead + JUMP * 1000) } \
	:: d_step { faults < BUDGET && c[me].at != DEAD -> faults++; c[me].ahead = (c[me].at == DONE -> 0 : c[me].ahead - JUMP * 1000) }
#else
#define jumps(me)
#endif

#define runs(me, rate) \
	:: d_step { faults < BUDGET && c[me].at != DEAD -> faults++; if :: c[me].at == DONE :: else -> turn(c[me].ahead, c[me].drift, rate) fi }
#if SLOW
#define slows(me) runs(me, SLOW)
#else
#define slows(me)
#endif
#if FAST
#define hastens(me) runs(me, FAST)
#else
#define hastens(me)
#endif

/* Who is done talks to nobody. */
#if PARTITION
#define parts(me) \
	:: d_step { faults < BUDGET && c[me].at != DEAD && c[me].at != DONE && !c[me].cut -> faults++; c[me].cut = true } \
	:: d_step { c[me].cut && faults < BUDGET -> faults++; c[me].cut = false }
#else
#define parts(me)
#endif

#define sendable(me) (faults < BUDGET && sends(me) && !c[me].hung && !c[me].cut && c[me].flight == HERE)

#if LOSE_REPLY
#define loses(me) :: d_step { sendable(me) -> faults++; execute(c[me].at, c[me].token); reply = 0; c[me].flight = LOST; c[me].until = now + TIMEOUT; look() }
#else
#define loses(me)
#endif

#if LATE
#define dawdles(me) \
	:: d_step { sendable(me) -> faults++; c[me].flight = AWAY; c[me].until = now + TIMEOUT } \
	:: d_step { faults < BUDGET && lateCommand[me * BUDGET] != 0 -> faults++; arrivesLate(me) }
#else
#define dawdles(me)
#endif

active proctype world() {
end:
	do
	EACH(steps)
	EACH(crashes)
	EACH(hangs)
	EACH(jumps)
	EACH(slows)
	EACH(hastens)
	EACH(parts)
	EACH(loses)
	EACH(dawdles)
#if FLUSH
	:: d_step { faults < BUDGET -> faults++; script = false }
#endif
#if WIPE
	:: d_step { faults < BUDGET -> faults++; beginsAgain(0, 0) }
#endif
#if EVICT
	:: d_step { faults < BUDGET && key != 0 -> faults++; execute(DEL, 0); reply = 0; look() }
#endif
#if PROMOTE
	:: d_step { faults < BUDGET && lacks -> faults++; ahead = 0; drift = 0; beginsAgain(replicaKey, (replicaKey == 0 -> 0 : shows - now + replicaDeadline)) }
#endif
#if NODE_JUMP
	:: d_step { faults < BUDGET -> faults++; jump(NODE_JUMP) }
	:: d_step { faults < BUDGET -> faults++; jump(-NODE_JUMP) }
#endif
#if NODE_SLOW
	:: d_step { faults < BUDGET -> faults++; turn(ahead, drift, NODE_SLOW) }
#endif
#if NODE_FAST
	:: d_step { faults < BUDGET -> faults++; turn(ahead, drift, NODE_FAST) }
#endif
	:: d_step { ticks < TICKS && (ANYWHERE || !ANY(busy)) && (LEAP > 0 || key != 0 || ANY(awaits)) -> timePasses() }
	od
}
