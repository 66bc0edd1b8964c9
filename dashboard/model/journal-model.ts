import type { JournalEntry } from '../../runtime/journal/index.ts';
import { ControllerModel } from './controller-model.ts';

/**
 * Aggregates of the entries of a journal. The server adds each entry when it is recorded; the page adds the
 * entries of a replayed journal.
 */
export class JournalModel {
  readonly controllers = new Map<string, ControllerModel>();
  /** Number of the last entry, or 0 before the first. */
  seq = 0;
  atMs = 0;

  apply(entry: JournalEntry): void {
    this.seq = entry.seq;
    this.atMs = entry.atMs;
    let controller = this.controllers.get(entry.controller);
    if (controller === undefined) {
      controller = new ControllerModel();
      this.controllers.set(entry.controller, controller);
    }
    controller.apply(entry);
  }
}
