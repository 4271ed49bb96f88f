import { connect } from 'node:net';

/** Finds ports that nobody uses, below those that the system gives out: they are used again and again. */
export async function findPorts(count: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let port = 10_000 + (process.pid % 1_000) * 8; found.length < count; port++) {
    if (!(await isUsed(port))) found.push(port);
  }
  return found;
}

function isUsed(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
