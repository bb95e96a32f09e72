"""Trees in files and pictures: model.json, PMML, DOT, fitted trees of scikit-learn, drawings."""
