import type { Descriptions } from './texts.ts';

/** Descriptions of the group `node`. */
export const node = (): Descriptions => ({
  Overhead: {
    '': 'Resources that a pod needs besides its containers.',
    podFixed: 'Resources that each pod of the class takes in addition.',
  },
  RuntimeClass: {
    '': 'Names a way of running containers that pods can ask for.',
    handler: "Name of the runtime's configuration on the nodes; immutable.",
    overhead: 'Resources that a pod of the class needs besides its containers.',
    scheduling: 'Nodes that have the runtime.',
  },
  Scheduling: {
    '': 'Nodes that pods of a class can run on.',
    nodeSelector:
      'Labels of the nodes; added to the selector of each pod, with which it must not be at odds.',
    tolerations: 'Tolerations added to each pod of the class.',
  },
});
