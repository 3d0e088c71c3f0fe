import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** The only way from the service to the database: an address that stays, with a network that can be bad. */
export interface DatabaseProxy {
  readonly port: number;
  /** From now on, and for connections to come, leads to this port of 127.0.0.1. */
  leadTo(port: number): Promise<void>;
  /** Refuses connections, as the address of a server that is down does. */
  refuse(): Promise<void>;
  /** Milliseconds by which all that passes is late, each way. */
  delay(millis: number): void;
  /** Cuts every connection: one that is being answered in the middle of that reply. How many there were. */
  cut(): number;
  close(): Promise<void>;
}

/** A connection that says nothing for this long is cut between replies. */
const PATIENCE_OF_CUT = 150;

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
      }, PATIENCE_OF_CUT).unref();
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

/** Writes in order, each part as late as the delay says when it comes. */
function late(to: Socket, state: { readonly delay: number }): (part: Buffer) => void {
  let free = 0;
  return (part) => {
    const now = performance.now();
    free = Math.max(free, now + state.delay);
    if (free <= now) to.write(part);
    else setTimeout(() => to.destroyed || to.write(part), free - now);
  };
}
