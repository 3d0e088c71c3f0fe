import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** The service's connection to the database: a fixed address with a network that can fail. */
export interface DatabaseProxy {
  readonly port: number;
  /** Connects new connections to this port of 127.0.0.1. */
  leadTo(port: number): Promise<void>;
  /** Refuses connections, like the address of a stopped server. */
  refuse(): Promise<void>;
  /** Delays all data by this many milliseconds, each way. */
  delay(millis: number): void;
  /** Cuts every connection, busy ones in the middle of the reply. Returns how many there were. */
  cut(): number;
  close(): Promise<void>;
}

/** Milliseconds after which an idle connection is cut between replies. */
const IDLE_CUT = 150;

interface Link {
  readonly ends: readonly [Socket, Socket];
  isCut: boolean;
}

export async function openDatabaseProxy(port: number): Promise<DatabaseProxy> {
  const links = new Set<Link>();
  const state = { port: 0, delay: 0 };
  let server: Server | null = null;
  const refuse = async () => {
    const closing = server;
    server = null;
    for (const { ends } of links) for (const end of ends) end.destroy();
    if (closing) await new Promise((resolve) => closing.close(resolve));
  };
  return {
    port,
    async leadTo(target) {
      state.port = target;
      if (server) return;
      server = createServer({ noDelay: true }, (near) => link(near, state, links));
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    refuse,
    delay(millis) {
      state.delay = millis;
    },
    cut() {
      const open = [...links];
      for (const each of open) each.isCut = true;
      setTimeout(() => {
        for (const { ends } of open) for (const end of ends) end.resetAndDestroy();
      }, IDLE_CUT).unref();
      return open.length;
    },
    close: refuse,
  };
}

function link(near: Socket, state: { readonly port: number; readonly delay: number }, links: Set<Link>): void {
  const far = createConnection({ port: state.port, host: '127.0.0.1', noDelay: true });
  const own: Link = { ends: [near, far], isCut: false };
  links.add(own);
  const over = () => {
    links.delete(own);
    near.destroy();
    far.destroy();
  };
  for (const end of own.ends) end.on('error', over).on('close', over);
  const [toFar, toNear] = [late(far, state), late(near, state)];
  near.on('data', (part: Buffer) => toFar(part));
  far.on('data', (part: Buffer) => {
    if (!own.isCut) return toNear(part);
    near.write(part.subarray(0, Math.floor(part.length / 2)), () => near.resetAndDestroy());
    far.destroy();
  });
}

/** Writes in order, each part with the delay at its arrival. */
function late(to: Socket, state: { readonly delay: number }): (part: Buffer) => void {
  let free = 0;
  return (part) => {
    const now = performance.now();
    free = Math.max(free, now + state.delay);
    if (free <= now) to.write(part);
    else setTimeout(() => to.destroyed || to.write(part), free - now);
  };
}
