"""Settings with which each learner is quick on a table of some dozen rows."""

LEARNERS = {
    "C45Classifier": {},
    "SoftTreeClassifier": {"evaluation": 0.1, "propagation": 0.1, "error_unit": "sd"},
    "ProbabilisticThresholdClassifier": {},
    "UncertainTreeClassifier": {"width": 0.2, "n_points": 10},
    "UCTTreeClassifier": {"n_iterations": 20, "random_state": 0},
    "EvolutionaryTreeClassifier": {"n_generations": 5, "random_state": 0},
    "OptimalTreeClassifier": {"max_depth": 2},
    "ConfDTreeClassifier": {},
    "EIGClassifier": {},
    "UncertainDataTreeClassifier": {},
    "EvidentialTreeClassifier": {"random_state": 0},
}
