/** Stands for ELK, a layout as large as all others together and under another licence, which mermaid loads if it is asked for. */
export default class {
  constructor() {
    throw new Error('The layout "elk" is not available; leave it out');
  }
}
