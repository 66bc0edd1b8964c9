import { liveFaults } from '../chaos/live/index.ts';
import { chaosRunFlags } from './chaos-flags.ts';
import { duration, integer, list, text, toggle } from './flags.ts';

const { module, format, vocabulary, controllers, workload, report } = chaosRunFlags;

export const chaosLiveFlags = {
  module,
  format,
  vocabulary,
  controllers,
  workload,
  report,
  replicas: integer(2, 'number of controller managers; several elect a leader by leases', {
    min: 1,
    max: 16,
  }),
  redis: toggle(false, 'start a Redis through which they share their keys, if redis-server is installed'),
  etcd: toggle(false, 'start an etcd as the store of the API server, if etcd is installed'),
  'redis-url': text('', 'Redis through which they share their keys; it is not killed'),
  duration: duration('60s', 'approximate duration of the run; its last third is free of faults'),
  seed: integer(0, 'seed of the workload and the faults', { min: 0, max: 2 ** 32 - 1 }),
  faults: list(['*'], `faults to inject: ${liveFaults.join(', ')}; * for all`),
  'accept-vacuous': chaosRunFlags['accept-vacuous'],
  'keep-data': text('', 'folder for data, certificates and journals that is kept; default a temporary one'),
};
