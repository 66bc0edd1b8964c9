import { liveFaults } from '../chaos/live/faults.ts';
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
  replicas: integer(2, 'controller managers; two and more take turns under leases', { min: 1, max: 16 }),
  redis: toggle(false, 'start a Redis that they share their keys over, where redis-server is installed'),
  etcd: toggle(false, 'start an etcd that the API server keeps its objects in, where etcd is installed'),
  'redis-url': text('', 'Redis that they share their keys over; it is not killed'),
  duration: duration('60s', 'how long the run takes about; in its last third nothing fails'),
  seed: integer(0, 'what is done, and what goes wrong, is drawn from', { min: 0, max: 2 ** 32 - 1 }),
  faults: list(['*'], `faults that may strike: ${liveFaults.join(', ')}; * for all`),
  'accept-vacuous': chaosRunFlags['accept-vacuous'],
  'keep-data': text('', 'folder for data, certificates and journals that stays; default one that goes'),
};
