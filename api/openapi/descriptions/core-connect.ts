import type { Descriptions } from './texts.ts';

const STREAMS = {
  container: 'Name of the container; default the only one.',
  stderr: 'True attaches the error output.',
  stdin: 'True attaches the input; default false.',
  stdout: 'True attaches the output.',
  tty: 'True gives a terminal, where both outputs are one; default false.',
};

/** Descriptions of the options of connections to pods, nodes and services. */
export const coreConnect = (): Descriptions => ({
  NodeProxyOptions: {
    '': 'Options of a request that is forwarded to a node.',
    path: 'Path of the request at the node.',
  },
  PodAttachOptions: {
    '': 'Streams of a running container to attach to.',
    ...STREAMS,
  },
  PodExecOptions: {
    '': 'Command to run in a container, and its streams.',
    ...STREAMS,
    command: 'Program and arguments, without a shell.',
  },
  PodLogOptions: {
    '': "Selection of a container's log.",
    container: 'Name of the container; default the only one.',
    follow: 'True continues until the container ends; default false.',
    insecureSkipTLSVerifyBackend: 'True trusts any certificate of the node; default false.',
    limitBytes: 'Bytes after which the log is cut off, if need be within a line.',
    previous: 'True reads the log of the container before its last restart; default false.',
    sinceSeconds: 'Seconds to look back; excludes `sinceTime`.',
    sinceTime: 'Time to begin at; excludes `sinceSeconds`.',
    tailLines: 'Number of lines from the end; default all of them.',
    timestamps: 'True puts the time before each line; default false.',
  },
  PodPortForwardOptions: {
    '': 'Ports of a pod to forward.',
    ports: 'Numbers of the ports.',
  },
  PodProxyOptions: {
    '': 'Options of a request that is forwarded to a pod.',
    path: 'Path of the request at the pod.',
  },
  ServiceProxyOptions: {
    '': 'Options of a request that is forwarded to a Service.',
    path: 'Path of the request at the Service.',
  },
});
