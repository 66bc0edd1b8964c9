import type { PodExecOptions, PodPortForwardOptions } from '../../api/types/core-v1-connect.ts';

/** First path segments of the agent's streaming endpoints by subresource. */
const STREAM_PATHS: Readonly<Record<string, string>> = {
  exec: 'exec',
  attach: 'attach',
  portforward: 'portForward',
};

/**
 * Returns the path and query at which a node's agent serves exec, attach or portforward. `target` contains
 * namespace, pod and container; the container is '' for portforward
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/registry/core/pod/strategy.go, `streamParams`).
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
  return `/${STREAM_PATHS[subresource] ?? subresource}/${path.join('/')}${asked}`;
}
