import type { PodExecOptions, PodPortForwardOptions } from '../../api/types/core-v1-connect.ts';

/** Where agents have what is asked of a pod. */
const PLACES: Readonly<Record<string, string>> = {
  exec: 'exec',
  attach: 'attach',
  portforward: 'portForward',
};

/**
 * Where a node's agent serves a stream of a pod, with the options it knows: which of the streams are wanted, and what is to
 * run or which ports are meant (release 1.24, `streamParams`). `target` is namespace, pod and container, '' for none.
 */
export function streamPath(subresource: string, target: readonly string[], options: object): string {
  const {
    stdin,
    stdout,
    stderr,
    tty,
    command = [],
    ports = [],
  } = options as Partial<PodExecOptions> & PodPortForwardOptions;
  const query = new URLSearchParams();
  for (const [name, isWanted] of Object.entries({ input: stdin, output: stdout, error: stderr, tty }))
    if (isWanted) query.set(name, '1');
  for (const each of command) query.append('command', each);
  if (ports.length > 0) query.set('port', ports.join(','));
  const path = target.filter((part) => part !== '').map(encodeURIComponent);
  const asked = query.size === 0 ? '' : `?${query.toString()}`;
  return `/${PLACES[subresource] ?? subresource}/${path.join('/')}${asked}`;
}
