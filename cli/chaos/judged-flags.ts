import { duration, text, toggle } from '../flags/flags.ts';

/** Flags of `orch chaos proxy` for a command that the proxy starts and judges. */
export const judgedFlags = {
  run: text(
    '',
    'shell command that starts the controller, with KUBECONFIG set to the proxy; a command after -- is started without a shell. The faults are then judged: exit code 0 for PASS, 1 for FAIL, 2 for UNKNOWN',
  ),
  manifests: text(
    '',
    'file or folder of manifests, the example workload; the command then runs against a new API server, unless --kubeconfig or --target names one',
  ),
  search: toggle(false, 'try the ready plans one after another until one fails'),
  rules: text('', 'file of further rules for --run, YAML or JSON'),
  report: text(
    '',
    'file for the report of --run: .json, .xml (JUnit) or .sarif by its extension, otherwise one HTML page',
  ),
  minimal: text('', 'file that receives the smallest plan found that fails, for --plan'),
  'run-log': text('', 'file that receives the output of the command'),
  shrink: toggle(true, 'search for the smallest plan that fails; needs --manifests and a new API server'),
  within: duration('5m', 'time after which neither --search nor the search for a smaller plan starts a run'),
  settle: duration('2s', 'time without a change after which all is quiet'),
  duration: duration('60s', 'time that the command runs for without --manifests'),
  'clock-offset': duration('0s', 'offset of the clock of the command; needs libfaketime'),
  libfaketime: text('', 'path of libfaketime.so.1; default searched in the usual folders'),
};
