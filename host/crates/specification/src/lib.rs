//! What pravo reads out of CUE: settings, provider instances, resources, meta fields, bodies and edges.
