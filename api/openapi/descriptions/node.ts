import type { Descriptions } from './texts.ts';

export const node = (): Descriptions => ({
  Overhead: {
    '': 'What running a pod costs besides its containers.',
    podFixed: 'Resources that each pod of the class takes in addition.',
  },
  RuntimeClass: {
    '': 'Names a way of running containers that pods can ask for.',
    handler: "Name of the runtime's configuration on the nodes; immutable.",
    overhead: 'What running a pod of the class costs besides its containers.',
    scheduling: 'Which nodes have the runtime.',
  },
  Scheduling: {
    '': 'Which nodes pods of a class can run on.',
    nodeSelector:
      'Labels of the nodes; added to the selector of each pod, with which it must not be at odds.',
    tolerations: 'Tolerations added to each pod of the class.',
  },
});
